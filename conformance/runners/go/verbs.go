// The verbs of the scenarios in the words of azcosmos.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// withoutWords has the verbs this library has no words for, and why.
var withoutWords = map[string]string{
	"account":          "this library does not show the account",
	"bulk":             "this library has no bulk operation",
	"delete_partition": "this library cannot delete a whole partition key",
	"list":             "this library reads lists by queries only",
	"execute":          "this library has no scripts",
}

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
		options := &azcosmos.CreateDatabaseOptions{}
		if throughput, ok := step["throughput"]; ok {
			options.ThroughputProperties = throughputOf(throughput)
		}
		answer, err := r.client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: step["database"].(string)}, options)
		return described(answer.RawResponse, nil), err
	case "read_database", "delete_database":
		return r.databaseVerb(verb, step["database"].(string))
	case "read_throughput", "replace_throughput":
		return r.throughput(verb, step)
	case "query_containers", "list_containers":
		return r.containers(step)
	case "query_databases", "list_databases":
		return r.databases(step)
	case "read_many":
		return r.readMany(step)
	case "feed_ranges":
		ranges, err := r.container.ReadFeedRanges(ctx, nil)
		return seen{rows: make([]any, len(ranges))}, err
	case "change_feed":
		return r.changeFeed(step)
	case "advance_clock":
		return r.control("advance-clock", object{"seconds": step["seconds"]})
	case "split_partition":
		return r.control("split-partition", object{"database": r.databaseID, "container": r.container.ID()})
	case "enforce_throughput":
		return r.control("enforce-throughput", object{"database": r.databaseID, "container": r.container.ID()})
	case "inject_faults":
		return r.control("faults", step["rules"])
	case "was_throttled":
		return r.control("was-throttled", object{"database": r.databaseID, "container": r.container.ID()})
	}
	if reason, ok := withoutWords[verb]; ok {
		return seen{}, unsupported{reason}
	}
	if strings.Contains(verb, "_resource") {
		return seen{}, unsupported{"this library has no users, permissions, scripts or client encryption keys"}
	}
	return seen{}, fmt.Errorf("the runner has no verb %s", verb)
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
	moreOptions(options, step)
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

func moreOptions(options *azcosmos.ItemOptions, step object) {
	if directive, ok := step["indexing"].(string); ok {
		options.IndexingDirective = azcosmos.IndexingDirective(directive).ToPtr()
	}
	options.PreTriggers = texts(step["pre_triggers"])
	options.PostTriggers = texts(step["post_triggers"])
	if priority, ok := step["priority"].(string); ok {
		options.PriorityLevel = to.Ptr(azcosmos.PriorityLevel(priority))
	}
	if bucket, ok := step["throughput_bucket"].(float64); ok {
		options.ThroughputBucket = to.Ptr(int32(bucket))
	}
	if seconds, ok := step["cache_seconds"].(float64); ok {
		most := time.Duration(seconds) * time.Second
		options.DedicatedGatewayRequestOptions = &azcosmos.DedicatedGatewayRequestOptions{MaxIntegratedCacheStaleness: &most}
	}
}

func texts(value any) []string {
	var all []string
	list, _ := value.([]any)
	for _, one := range list {
		all = append(all, one.(string))
	}
	return all
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
		if _, ok := operation["if_none_match"]; ok {
			return seen{}, unsupported{"this library has no conditional read"}
		}
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
	if session, ok := step["session"].(string); ok {
		options.SessionToken = &session
	}
	if level, ok := step["consistency"].(string); ok {
		options.ConsistencyLevel = azcosmos.ConsistencyLevel(level).ToPtr()
	}
	options.PopulateIndexMetrics = step["metrics"] == true
	found := seen{rows: []any{}}
	pager := r.container.NewQueryItemsPager(step["text"].(string), key, options)
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return seen{}, err
		}
		found.pages++
		found.headers = page.RawResponse.Header
		rows, err := decoded(page.Items)
		if err != nil {
			return seen{}, err
		}
		found.rows = append(found.rows, rows...)
		if step["split_after"] == float64(found.pages) {
			if _, err := r.do("split_partition", step); err != nil {
				return seen{}, err
			}
		}
		if step["resume"] == true && page.ContinuationToken != nil {
			options.ContinuationToken = page.ContinuationToken
			pager = r.container.NewQueryItemsPager(step["text"].(string), key, options)
		}
	}
	return found, nil
}

func (r *runner) readMany(step object) (seen, error) {
	var wanted []azcosmos.ItemIdentity
	for _, each := range step["ids"].([]any) {
		pair := each.([]any)
		key := r.keyOf(object{"key": pair[1]})
		wanted = append(wanted, azcosmos.ItemIdentity{ID: pair[0].(string), PartitionKey: key})
	}
	answer, err := r.container.ReadManyItems(ctx, wanted, nil)
	if err != nil {
		return seen{}, err
	}
	rows, err := decoded(answer.Items)
	return seen{rows: rows, headers: http.Header{}}, err
}

func decoded(items [][]byte) ([]any, error) {
	rows := []any{}
	for _, text := range items {
		var row any
		if err := json.Unmarshal(text, &row); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// changeFeed reads until as many pages in a row were empty as there are ranges: the feed itself never ends.
func (r *runner) changeFeed(step object) (seen, error) {
	if step["mode"] == "all" {
		return seen{}, unsupported{"this library has no changes of all versions"}
	}
	options := &azcosmos.ChangeFeedOptions{}
	if page, ok := step["page"].(float64); ok {
		options.MaxItemCount = int32(page)
	}
	if _, ok := step["key"]; ok {
		key := r.keyOf(step)
		options.PartitionKey = &key
	}
	if step["from"] == "now" {
		return seen{}, unsupported{"this library starts at the beginning or at a time, not now"}
	}
	if since, ok := step["since"].(float64); ok {
		start := time.Unix(int64(since), 0)
		options.StartFrom = &start
	}
	if token, ok := step["follow"].(string); ok {
		options.Continuation = &token
	}
	ranges, err := r.container.ReadFeedRanges(ctx, nil)
	if err != nil {
		return seen{}, err
	}
	if options.Continuation == nil {
		options.FeedRange = &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}
	}
	found := seen{rows: []any{}, headers: http.Header{}}
	for empty := 0; empty <= len(ranges); empty++ {
		page, err := r.container.ReadChangeFeed(ctx, options)
		if err != nil {
			return seen{}, err
		}
		if page.Count > 0 {
			empty = -1
		}
		rows, err := decoded(page.Items)
		if err != nil {
			return seen{}, err
		}
		found.rows = append(found.rows, rows...)
		found.continuation = page.ContinuationToken
		options.Continuation = &page.ContinuationToken
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
	var of interface {
		ReadThroughput(context.Context, *azcosmos.ThroughputOptions) (azcosmos.ThroughputResponse, error)
		ReplaceThroughput(context.Context, azcosmos.ThroughputProperties, *azcosmos.ThroughputOptions) (azcosmos.ThroughputResponse, error)
	} = r.container
	if id, ok := step["database"].(string); ok {
		database, err := r.client.NewDatabase(id)
		if err != nil {
			return seen{}, err
		}
		of = database
	}
	if verb == "replace_throughput" {
		answer, err := of.ReplaceThroughput(ctx, *throughputOf(step["throughput"]), nil)
		return described(answer.RawResponse, nil), err
	}
	answer, err := of.ReadThroughput(ctx, nil)
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

func (r *runner) control(path string, body any) (seen, error) {
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
