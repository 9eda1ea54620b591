// Judges what was seen against what must be seen.
package main

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

func checkFailure(verb string, see object, failure error) error {
	var gap unsupported
	if errors.As(failure, &gap) {
		return gap
	}
	wanted, expected := see["fails"].(object)
	var answer *azcore.ResponseError
	if !errors.As(failure, &answer) {
		if expected {
			return unsupported{"this library refuses it before asking: " + failure.Error()}
		}
		return fmt.Errorf("%s failed: %w", verb, failure)
	}
	if !expected {
		return fmt.Errorf("%s failed: %d %s", verb, answer.StatusCode, strings.Join(strings.Fields(answer.Error()), " "))
	}
	if float64(answer.StatusCode) != wanted["status"] {
		return fmt.Errorf("%s failed with %d, not %v", verb, answer.StatusCode, wanted["status"])
	}
	if substatus, ok := wanted["substatus"].(float64); ok {
		if found := answer.RawResponse.Header.Get("X-Ms-Substatus"); found != strconv.Itoa(int(substatus)) {
			return fmt.Errorf("%s failed with sub-status %s, not %v", verb, found, substatus)
		}
	}
	if message, ok := wanted["message"].(string); ok && !strings.Contains(answer.Error(), message) {
		return fmt.Errorf("%s failed with %q, not %q", verb, answer.Error(), message)
	}
	return nil
}

func plain(row any) any {
	members, ok := row.(object)
	if !ok {
		return row
	}
	kept := object{}
	for name, value := range members {
		if !strings.HasPrefix(name, "_") {
			kept[name] = value
		}
	}
	return kept
}

func covers(found, wanted any) bool {
	members, ok := wanted.(object)
	if !ok {
		return reflect.DeepEqual(found, wanted)
	}
	inside, ok := found.(object)
	if !ok {
		return false
	}
	for name, value := range members {
		if has, there := inside[name]; !there || !covers(has, value) {
			return false
		}
	}
	return true
}

func asTexts(rows any, ordered bool) []string {
	texts := []string{}
	all, _ := rows.([]any)
	for _, row := range all {
		texts = append(texts, string(encoded(plain(row))))
	}
	if !ordered {
		sort.Strings(texts)
	}
	return texts
}

func check(verb string, see object, found seen) error {
	for name, wanted := range see {
		if !holds(name, wanted, found) {
			rows := string(encoded(found.rows))
			return fmt.Errorf("%s: `%s` should be %v; saw status %d, value %v, rows %.300s, results %v",
				verb, name, wanted, found.status, found.value, rows, found.results)
		}
	}
	return nil
}

func holds(name string, wanted any, found seen) bool {
	switch name {
	case "status":
		return found.status == 0 || float64(found.status) == wanted
	case "body":
		return covers(found.value, wanted)
	case "absent":
		for _, member := range wanted.([]any) {
			if _, there := found.value[member.(string)]; there {
				return false
			}
			for _, row := range found.rows {
				members, _ := row.(object)
				if _, there := members[member.(string)]; there {
					return false
				}
			}
		}
		return true
	case "empty", "unchanged":
		return found.value == nil
	case "throughput", "autoscale":
		return found.value[name] == wanted
	case "charge":
		charge, err := strconv.ParseFloat(found.headers.Get("X-Ms-Request-Charge"), 64)
		return err == nil && charge > 0
	case "etag":
		return found.headers.Get("Etag") != ""
	case "session":
		return found.headers.Get("X-Ms-Session-Token") != ""
	case "query_metrics":
		return found.headers.Get("X-Ms-Documentdb-Query-Metrics") != ""
	case "index_metrics":
		return found.headers.Get("X-Ms-Cosmos-Index-Utilization") != ""
	case "rows", "set":
		return reflect.DeepEqual(asTexts(found.rows, name == "rows"), asTexts(wanted, name == "rows"))
	case "has":
		all := wanted.([]any)
		fits := len(all) == len(found.rows)
		for index := 0; fits && index < len(all); index++ {
			fits = covers(found.rows[index], all[index])
		}
		return fits
	case "includes":
		for _, row := range found.rows {
			if row.(object)["id"] == wanted {
				return true
			}
		}
		return false
	case "count":
		return float64(len(found.rows)) == wanted
	case "pages_min":
		return float64(found.pages) >= wanted.(float64)
	case "results":
		return reflect.DeepEqual(any(found.results), wanted)
	}
	return false
}
