// Runs the scenarios through azcosmos.
//
// Owns saying each verb in the words of this library. What is expected is in the scenario files; ../../README.md says
// how to read them. Prints one JSON line per scenario.
package main

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

type object = map[string]any

// unsupported: this library has no words for it.
type unsupported struct{ reason string }

func (u unsupported) Error() string { return u.reason }

// seen is what came back of one step.
type seen struct {
	status  int
	value   object
	headers http.Header
	rows    []any
	pages   int
	results []any
	// continuation is where a change feed stopped.
	continuation string
}

type runner struct {
	endpoint   string
	key        string
	options    *azcosmos.ClientOptions
	client     *azcosmos.Client
	databaseID string
	database   *azcosmos.DatabaseClient
	container  *azcosmos.ContainerClient
	paths      []string
	saved      object
	made       int
}

var ctx = context.Background()

func (r *runner) setUp(setup object) error {
	r.made++
	id := fmt.Sprintf("c-%d", r.made)
	r.saved = object{"container": id, "database": r.databaseID}
	wish := setup["container"].(object)
	r.paths = nil
	for _, path := range wish["partitionKey"].(object)["paths"].([]any) {
		r.paths = append(r.paths, strings.Trim(path.(string), "/"))
	}
	if err := r.createContainer(id, wish); err != nil {
		return err
	}
	container, err := r.database.NewContainer(id)
	if err != nil {
		return err
	}
	r.container = container
	items, _ := setup["items"].([]any)
	for _, item := range items {
		if _, err := r.container.CreateItem(ctx, r.keyOf(object{"item": item}), encoded(item), nil); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) createContainer(id string, wish object) error {
	properties, err := properties(id, wish)
	if err != nil {
		return err
	}
	options := &azcosmos.CreateContainerOptions{}
	if throughput, ok := wish["throughput"]; ok {
		options.ThroughputProperties = throughputOf(throughput)
	}
	_, err = r.database.CreateContainer(ctx, properties, options)
	return err
}

func properties(id string, wish object) (azcosmos.ContainerProperties, error) {
	var properties azcosmos.ContainerProperties
	for _, name := range []string{"changeFeedPolicy", "computedProperties"} {
		if _, ok := wish[name]; ok {
			return properties, unsupported{"containers of this library have no " + name}
		}
	}
	body := object{"id": id}
	for name, value := range wish {
		if name != "throughput" {
			body[name] = value
		}
	}
	return properties, errors.Join(json.Unmarshal(encoded(body), &properties))
}

func throughputOf(wish any) *azcosmos.ThroughputProperties {
	var properties azcosmos.ThroughputProperties
	if autoscale, ok := wish.(object); ok {
		properties = azcosmos.NewAutoscaleThroughputProperties(int32(autoscale["max"].(float64)))
	} else {
		properties = azcosmos.NewManualThroughputProperties(int32(wish.(float64)))
	}
	return &properties
}

func encoded(value any) []byte {
	bytes, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return bytes
}

// keyOf gives the key of a step, or that of its item.
func (r *runner) keyOf(step object) azcosmos.PartitionKey {
	values, ok := step["key"].([]any)
	if !ok {
		item, _ := step["item"].(object)
		for _, path := range r.paths {
			value, there := item[path]
			if !there {
				value = object{}
			}
			values = append(values, value)
		}
	}
	key := azcosmos.NewPartitionKey()
	for _, value := range values {
		switch value := value.(type) {
		case string:
			key = key.AppendString(value)
		case float64:
			key = key.AppendNumber(value)
		case bool:
			key = key.AppendBool(value)
		case nil:
			key = key.AppendNull()
		default:
			panic(unsupported{"this library has no undefined partition key"})
		}
	}
	return key
}

func (r *runner) filled(value any) any {
	switch value := value.(type) {
	case string:
		if length, err := strconv.Atoi(strings.TrimPrefix(value, "$x")); err == nil && strings.HasPrefix(value, "$x") {
			return strings.Repeat("x", length)
		}
		if kept, ok := r.saved[strings.TrimPrefix(value, "$")]; ok && strings.HasPrefix(value, "$") {
			return kept
		}
	case []any:
		filled := make([]any, 0, len(value))
		for _, inner := range value {
			filled = append(filled, r.filled(inner))
		}
		return filled
	case object:
		filled := object{}
		for name, inner := range value {
			filled[name] = r.filled(inner)
		}
		return filled
	}
	return value
}

func (r *runner) runStep(raw object) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			if known, ok := problem.(unsupported); ok {
				err = known
				return
			}
			err = fmt.Errorf("the runner stumbled: %v", problem)
		}
	}()
	step := r.filled(raw).(object)
	if who, ok := step["as"].(object); ok {
		own, err := r.container, r.become(who)
		defer func() { r.container = own }()
		if err != nil {
			return err
		}
	}
	verb := step["do"].(string)
	see, _ := step["see"].(object)
	found, failure := r.do(verb, step)
	if failure != nil {
		return checkFailure(verb, see, failure)
	}
	if wanted, ok := see["fails"]; ok {
		return fmt.Errorf("%s succeeded, and should fail with %v", verb, wanted)
	}
	if err := check(verb, see, found); err != nil {
		return err
	}
	save, _ := step["save"].(object)
	for name, what := range save {
		header := map[any]string{"etag": "Etag", "session": "X-Ms-Session-Token"}[what]
		r.saved[name] = found.headers.Get(header)
		if what == "time" {
			r.saved[name] = found.value["_ts"]
		}
		if what == "continuation" {
			r.saved[name] = found.continuation
		}
	}
	return nil
}

// become makes the container that of somebody else: one with a bearer token.
func (r *runner) become(who object) error {
	if _, ok := who["token"]; ok {
		return unsupported{"this library has no resource tokens"}
	}
	if strings.HasPrefix(r.endpoint, "http:") {
		return unsupported{"this library sends no bearer token over plain http"}
	}
	key := r.key
	if other, ok := who["key"].(string); ok {
		key = other
	}
	theirs, err := azcosmos.NewClient(r.endpoint, fakeCredential{key}, r.options)
	if err != nil {
		return err
	}
	r.container, err = theirs.NewContainer(r.databaseID, r.container.ID())
	return err
}

// fakeCredential gives the bearer tokens the emulators take: their signature is the account key.
type fakeCredential struct{ key string }

func (c fakeCredential) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	now := time.Now()
	name := "CosmosEmulatorPrimaryMaster"
	head := object{"typ": "JWT", "alg": "RS256", "x5t": name, "kid": name}
	claims := object{
		"appid": "localhost", "aud": "https://localhost.localhost", "tid": "EmulatorFederation",
		"iss": "https://sts.fake-issuer.net/7b1999a1-dfd7-440e-8204-00170979b984",
		"nbf": now.Unix(), "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	parts := []string{}
	for _, part := range [][]byte{encoded(head), encoded(claims), []byte(c.key)} {
		parts = append(parts, base64.RawURLEncoding.EncodeToString(part))
	}
	return azcore.AccessToken{Token: strings.Join(parts, "."), ExpiresOn: now.Add(time.Hour)}, nil
}

func (r *runner) judged(content, scenario object) error {
	if content["shared"] != true {
		setup, ok := scenario["setup"].(object)
		if !ok {
			setup = content["setup"].(object)
		}
		if err := r.setUp(setup); err != nil {
			return err
		}
	}
	for number, step := range scenario["steps"].([]any) {
		if err := r.runStep(step.(object)); err != nil {
			var gap unsupported
			if errors.As(err, &gap) {
				return gap
			}
			return fmt.Errorf("step %d: %w", number+1, err)
		}
	}
	return nil
}

func main() {
	endpoint := flag.String("endpoint", "", "address of the server")
	key := flag.String("key", "", "its key")
	folder := flag.String("scenarios", "", "folder of the scenarios")
	only := flag.String("only", "", "a part of the names to run")
	flag.Parse()
	credential, err := azcosmos.NewKeyCredential(*key)
	stopOn(err)
	// The certificate of a server made for a test is known to nobody.
	trusting := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: &http.Client{Transport: trusting}}}
	client, err := azcosmos.NewClientWithKey(*endpoint, credential, options)
	stopOn(err)
	r := &runner{endpoint: *endpoint, key: *key, options: options, client: client, databaseID: fmt.Sprintf("conf-go-%d", os.Getpid())}
	_, err = client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: r.databaseID}, nil)
	stopOn(err)
	r.database, err = client.NewDatabase(r.databaseID)
	stopOn(err)
	files, err := filepath.Glob(filepath.Join(*folder, "*.json"))
	stopOn(err)
	sort.Strings(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		stopOn(err)
		var content object
		stopOn(json.Unmarshal(text, &content))
		if content["shared"] == true {
			stopOn(r.setUp(content["setup"].(object)))
		}
		for _, each := range content["scenarios"].([]any) {
			scenario := each.(object)
			if strings.Contains(scenario["name"].(string), *only) {
				tell(scenario["name"], content["area"], r.judged(content, scenario))
			}
		}
	}
	_, err = r.database.Delete(ctx, nil)
	stopOn(err)
}

func tell(scenario, area any, err error) {
	outcome, reason := "passed", ""
	var gap unsupported
	if errors.As(err, &gap) {
		outcome, reason = "unsupported", gap.reason
	} else if err != nil {
		outcome, reason = "failed", err.Error()
	}
	if len(reason) > 600 {
		reason = reason[:600]
	}
	fmt.Println(string(encoded(object{"scenario": scenario, "area": area, "outcome": outcome, "reason": reason})))
}

func stopOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func etagOf(value any) *azcore.ETag {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	etag := azcore.ETag(text)
	return &etag
}
