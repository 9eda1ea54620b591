// The verbs of the scenarios in the words of azcosmos.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func (r *runner) do(verb string, step object) (seen, error) {
	switch verb {
	case "create", "upsert", "replace", "read", "delete", "patch":
		return r.item(verb, step)
	case "batch":
		return r.batch(step)
	case "query":
		return r.query(step)
	case "read_container":
		answer, err := r.container.Read(ctx, nil)
		return described(answer.RawResponse, answer.ContainerProperties), err
	case "delete_container":
		answer, err := r.container.Delete(ctx, nil)
		return described(answer.RawResponse, nil), err
	case "create_container":
		id, ok := step["id"].(string)
		if !ok {
			id = r.container.ID()
		}
		return seen{}, r.createContainer(id, step["container"].(object))
	case "replace_container":
		wish, err := properties(r.container.ID(), step["container"].(object))
		if err != nil {
			return seen{}, err
		}
		answer, err := r.container.Replace(ctx, wish, nil)
		return described(answer.RawResponse, answer.ContainerProperties), err
	case "create_database":
		answer, err := r.client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: step["database"].(string)}, nil)
		return described(answer.RawResponse, nil), err
	case "read_database", "delete_database":
		return r.databaseVerb(verb, step["database"].(string))
	case "read_throughput", "replace_throughput":
		return r.throughput(verb, step)
	case "query_containers", "list_containers":
		return r.containers(step)
	case "query_databases", "list_databases":
		return r.databases(step)
	case "account":
		return seen{}, unsupported{"this library does not show the account"}
	case "advance_clock":
		return r.control("advance-clock", object{"seconds": step["seconds"]})
	case "split_partition":
		return r.control("split-partition", object{"database": r.databaseID, "container": r.container.ID()})
	case "enforce_throughput":
		return r.control("enforce-throughput", object{"database": r.databaseID, "container": r.container.ID()})
	case "was_throttled":
		return r.control("was-throttled", object{"database": r.databaseID, "container": r.container.ID()})
	}
	return seen{}, unsupported{"this library has no " + strings.ReplaceAll(verb, "_", " ")}
}

func (r *runner) item(verb string, step object) (seen, error) {
	if _, ok := step["if_none_match"]; ok {
		return seen{}, unsupported{"this library has no conditional read"}
	}
	options := &azcosmos.ItemOptions{EnableContentResponseOnWrite: step["quiet"] != true}
	options.IfMatchEtag = etagOf(step["if_match"])
	if session, ok := step["session"].(string); ok {
		options.SessionToken = &session
	}
	if level, ok := step["consistency"].(string); ok {
		options.ConsistencyLevel = azcosmos.ConsistencyLevel(level).ToPtr()
	}
	key, id := r.keyOf(step), ""
	if text, ok := step["id"].(string); ok {
		id = text
	} else if item, ok := step["item"].(object); ok {
		id, _ = item["id"].(string)
	}
	var answer azcosmos.ItemResponse
	var err error
	switch verb {
	case "create":
		answer, err = r.container.CreateItem(ctx, key, encoded(step["item"]), options)
	case "upsert":
		answer, err = r.container.UpsertItem(ctx, key, encoded(step["item"]), options)
	case "replace":
		answer, err = r.container.ReplaceItem(ctx, key, id, encoded(step["item"]), options)
	case "read":
		answer, err = r.container.ReadItem(ctx, key, id, options)
	case "delete":
		answer, err = r.container.DeleteItem(ctx, key, id, options)
	case "patch":
		answer, err = r.container.PatchItem(ctx, key, id, patchOf(step), options)
	}
	if err != nil {
		return seen{}, err
	}
	found := described(answer.RawResponse, nil)
	if len(answer.Value) > 0 {
		err = json.Unmarshal(answer.Value, &found.value)
	}
	return found, err
}

func patchOf(step object) azcosmos.PatchOperations {
	patch := azcosmos.PatchOperations{}
	if condition, ok := step["condition"].(string); ok {
		patch.SetCondition(condition)
	}
	for _, each := range step["operations"].([]any) {
		operation := each.(object)
		path, value := operation["path"].(string), operation["value"]
		switch operation["op"] {
		case "add":
			patch.AppendAdd(path, value)
		case "set":
			patch.AppendSet(path, value)
		case "replace":
			patch.AppendReplace(path, value)
		case "remove":
			patch.AppendRemove(path)
		case "incr":
			number := value.(float64)
			if number != float64(int64(number)) {
				panic(unsupported{"this library increments by whole numbers only"})
			}
			patch.AppendIncrement(path, int64(number))
		default:
			panic(unsupported{fmt.Sprintf("this library has no patch operation %v", operation["op"])})
		}
	}
	return patch
}

func (r *runner) batch(step object) (seen, error) {
	batch := r.container.NewTransactionalBatch(r.keyOf(step))
	for _, each := range step["operations"].([]any) {
		operation := each.(object)
		id, _ := operation["id"].(string)
		options := &azcosmos.TransactionalBatchItemOptions{IfMatchETag: etagOf(operation["if_match"])}
		switch operation["op"] {
		case "create":
			batch.CreateItem(encoded(operation["item"]), options)
		case "upsert":
			batch.UpsertItem(encoded(operation["item"]), options)
		case "replace":
			batch.ReplaceItem(id, encoded(operation["item"]), options)
		case "read":
			batch.ReadItem(id, options)
		case "delete":
			batch.DeleteItem(id, options)
		case "patch":
			batch.PatchItem(id, patchOf(operation), options)
		}
	}
	answer, err := r.container.ExecuteTransactionalBatch(ctx, batch, nil)
	if err != nil {
		return seen{}, err
	}
	found := described(answer.RawResponse, nil)
	for _, result := range answer.OperationResults {
		found.results = append(found.results, float64(result.StatusCode))
	}
	return found, nil
}

func parameters(step object) []azcosmos.QueryParameter {
	var all []azcosmos.QueryParameter
	given, _ := step["parameters"].(object)
	for name, value := range given {
		all = append(all, azcosmos.QueryParameter{Name: name, Value: value})
	}
	return all
}

func (r *runner) query(step object) (seen, error) {
	key := azcosmos.NewPartitionKey()
	if _, ok := step["key"]; ok {
		key = r.keyOf(step)
	}
	options := &azcosmos.QueryOptions{QueryParameters: parameters(step)}
	if page, ok := step["page"].(float64); ok {
		options.PageSizeHint = int32(page)
	}
	found := seen{rows: []any{}}
	pager := r.container.NewQueryItemsPager(step["text"].(string), key, options)
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return seen{}, err
		}
		found.pages++
		found.headers = page.RawResponse.Header
		for _, text := range page.Items {
			var row any
			if err := json.Unmarshal(text, &row); err != nil {
				return seen{}, err
			}
			found.rows = append(found.rows, row)
		}
		if step["resume"] == true && page.ContinuationToken != nil {
			options.ContinuationToken = page.ContinuationToken
			pager = r.container.NewQueryItemsPager(step["text"].(string), key, options)
		}
	}
	return found, nil
}

func (r *runner) databaseVerb(verb, id string) (seen, error) {
	database, err := r.client.NewDatabase(id)
	if err != nil {
		return seen{}, err
	}
	if verb == "delete_database" {
		answer, err := database.Delete(ctx, nil)
		return described(answer.RawResponse, nil), err
	}
	answer, err := database.Read(ctx, nil)
	return described(answer.RawResponse, answer.DatabaseProperties), err
}

func (r *runner) throughput(verb string, step object) (seen, error) {
	if verb == "replace_throughput" {
		answer, err := r.container.ReplaceThroughput(ctx, *throughputOf(step["throughput"]), nil)
		return described(answer.RawResponse, nil), err
	}
	answer, err := r.container.ReadThroughput(ctx, nil)
	if err != nil {
		return seen{}, err
	}
	value := object{}
	if manual, ok := answer.ThroughputProperties.ManualThroughput(); ok {
		value["throughput"] = float64(manual)
	}
	if most, ok := answer.ThroughputProperties.AutoscaleMaxThroughput(); ok {
		value["autoscale"] = float64(most)
	}
	return seen{value: value}, nil
}

func (r *runner) containers(step object) (seen, error) {
	text, _ := step["text"].(string)
	if text == "" {
		text = "SELECT * FROM c"
	}
	found := seen{rows: []any{}}
	pager := r.database.NewQueryContainersPager(text, &azcosmos.QueryContainersOptions{QueryParameters: parameters(step)})
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return seen{}, err
		}
		for _, container := range page.Containers {
			found.rows = append(found.rows, object{"id": container.ID})
		}
	}
	return found, nil
}

func (r *runner) databases(step object) (seen, error) {
	text, _ := step["text"].(string)
	if text == "" {
		text = "SELECT * FROM d"
	}
	found := seen{rows: []any{}}
	pager := r.client.NewQueryDatabasesPager(text, &azcosmos.QueryDatabasesOptions{QueryParameters: parameters(step)})
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return seen{}, err
		}
		for _, database := range page.Databases {
			found.rows = append(found.rows, object{"id": database.ID})
		}
	}
	return found, nil
}

func (r *runner) control(path string, body object) (seen, error) {
	url := strings.TrimRight(r.endpoint, "/") + "/_planisphere/test/" + path
	answer, err := http.Post(url, "application/json", bytes.NewReader(encoded(body)))
	if err != nil {
		return seen{}, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return seen{}, fmt.Errorf("the test control answered %s", answer.Status)
	}
	return seen{}, nil
}

// described takes status and headers of a response, and the value as the library shows it.
func described(response *http.Response, value any) seen {
	found := seen{headers: http.Header{}}
	if response != nil {
		found.status, found.headers = response.StatusCode, response.Header
	}
	if value != nil {
		_ = json.Unmarshal(encoded(value), &found.value)
	}
	return found
}
