"""Runs the scenarios through azure-cosmos for Python.

Owns saying each verb in the words of this library. What is expected is in the scenario files; ../../README.md says how
to read them. Prints one JSON line per scenario.
"""
import argparse
import base64
import copy
import datetime
import glob
import json
import os
import time
import urllib.request
import uuid
import warnings

from azure.core import MatchConditions
from azure.core.credentials import AccessToken
from azure.cosmos import CosmosClient, PartitionKey, ThroughputProperties, _resource_throttle_retry_policy, exceptions
from azure.cosmos.partition_key import NonePartitionKeyValue

# The certificate of a server made for a test is known to nobody.
warnings.filterwarnings("ignore", message="Unverified HTTPS request")


# Delays after which the library retried by itself because it was throttled.
RETRIES = []


def count_retries():
    policy = _resource_throttle_retry_policy.ResourceThrottleRetryPolicy
    decide = policy.ShouldRetry

    def counted(self, exception):
        decision = decide(self, exception)
        if decision:
            RETRIES.append(self.retry_after_in_milliseconds)
        return decision

    policy.ShouldRetry = counted


class Unsupported(Exception):
    """This library has no words for it."""


class Unseen(Exception):
    """Something else was seen than what must be seen."""


class Seen:
    """What came back of one step."""

    def __init__(self, value=None, headers=None, rows=None, pages=None, results=None, kept=None):
        self.value, self.headers, self.rows = value, headers or {}, rows
        self.pages, self.results, self.kept = pages, results, kept or {}


def key_of(values):
    values = [NonePartitionKeyValue if value == {} else value for value in values]
    return values[0] if len(values) == 1 else values


def partition_key(definition):
    paths = definition["paths"]
    path = paths if definition["kind"] == "MultiHash" else paths[0]
    return PartitionKey(path=path, kind=definition["kind"], version=definition["version"])


def throughput_of(wish):
    if isinstance(wish, dict):
        return ThroughputProperties(auto_scale_max_throughput=wish["max"])
    return wish


class FakeCredential:
    """The bearer token the emulators take: its signature is the account key."""

    def __init__(self, key):
        self.key = key

    def get_token(self, *_scopes, **_options):
        now = int(time.time())
        head = {"typ": "JWT", "alg": "RS256", "x5t": "CosmosEmulatorPrimaryMaster", "kid": "CosmosEmulatorPrimaryMaster"}
        claims = {"appid": "localhost", "aud": "https://localhost.localhost", "tid": "EmulatorFederation",
                  "iss": "https://sts.fake-issuer.net/7b1999a1-dfd7-440e-8204-00170979b984",
                  "nbf": now, "iat": now, "exp": now + 3600}
        parts = [json.dumps(head), json.dumps(claims), self.key]
        token = ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)
        return AccessToken(token, now + 3600)


class Runner:
    def __init__(self, endpoint, key):
        self.endpoint, self.key = endpoint, key
        self.client = CosmosClient(endpoint, key)
        self.database_id = f"conf-python-{uuid.uuid4().hex[:8]}"
        self.database = self.client.create_database(self.database_id)
        self.container, self.saved, self.paths = None, {}, []

    # Arguments.

    def make_container(self, container_id, wish):
        wish = dict(wish)
        words = {
            "partitionKey": "partition_key", "indexingPolicy": "indexing_policy", "defaultTtl": "default_ttl",
            "uniqueKeyPolicy": "unique_key_policy", "computedProperties": "computed_properties",
            "changeFeedPolicy": "change_feed_policy", "fullTextPolicy": "full_text_policy",
            "vectorEmbeddingPolicy": "vector_embedding_policy",
        }
        arguments = {words[name]: value for name, value in wish.items() if name in words}
        arguments["partition_key"] = partition_key(wish["partitionKey"])
        if "throughput" in wish:
            arguments["offer_throughput"] = throughput_of(wish["throughput"])
        return container_id, arguments

    def set_up(self, setup):
        container_id, arguments = self.make_container(f"c-{uuid.uuid4().hex[:8]}", setup["container"])
        self.container = self.database.create_container(container_id, **arguments)
        self.paths = [path.strip("/'") for path in setup["container"]["partitionKey"]["paths"]]
        self.saved = {"container": container_id, "database": self.database_id}
        RETRIES.clear()
        for item in setup.get("items", []):
            self.container.create_item(item)

    def filled(self, value):
        if isinstance(value, str) and value.startswith("$x") and value[2:].isdigit():
            return "x" * int(value[2:])
        if isinstance(value, str) and value.startswith("$") and value[1:] in self.saved:
            return self.saved[value[1:]]
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        if isinstance(value, dict):
            return {name: self.filled(inner) for name, inner in value.items()}
        return value

    def options(self, step):
        options = {}
        if "if_match" in step:
            options.update(etag=step["if_match"], match_condition=MatchConditions.IfNotModified)
        if "if_none_match" in step:
            options.update(etag=step["if_none_match"], match_condition=MatchConditions.IfModified)
        if "quiet" in step:
            options["no_response"] = step["quiet"]
        if "session" in step:
            options["session_token"] = step["session"]
        if "indexing" in step and step["do"] != "create":
            raise Unsupported("this library has an indexing directive of a create only")
        if "indexing" in step:
            options["indexing_directive"] = {"Default": 0, "Exclude": 1, "Include": 2}[step["indexing"]]
        if "pre_triggers" in step:
            options["pre_trigger_include"] = ",".join(step["pre_triggers"])
        if "post_triggers" in step:
            options["post_trigger_include"] = ",".join(step["post_triggers"])
        if "priority" in step:
            options["priority"] = step["priority"]
        if "throughput_bucket" in step:
            options["throughput_bucket"] = step["throughput_bucket"]
        if "cache_seconds" in step:
            options["max_integrated_cache_staleness_in_ms"] = 1000 * step["cache_seconds"]
        return options

    # Verbs: items.

    def refuse_other_key(self, step):
        if "key" not in step or step["key"] == [{}]:
            return
        if step["key"] != [step["item"].get(path) for path in self.paths]:
            raise Unsupported("this library takes the partition key from the item")

    def do_create(self, step):
        self.refuse_other_key(step)
        value = self.container.create_item(step["item"], **self.options(step))
        return Seen(value, value.get_response_headers())

    def do_upsert(self, step):
        value = self.container.upsert_item(step["item"], **self.options(step))
        return Seen(value, value.get_response_headers())

    def do_replace(self, step):
        value = self.container.replace_item(step.get("id", step["item"]["id"]), step["item"], **self.options(step))
        return Seen(value, value.get_response_headers())

    def do_read(self, step):
        value = self.container.read_item(step["id"], key_of(step["key"]), **self.options(step))
        return Seen(value, value.get_response_headers())

    def do_delete(self, step):
        headers = {}
        self.container.delete_item(step["id"], key_of(step["key"]), response_hook=lambda seen, _: headers.update(seen),
                                   **self.options(step))
        return Seen(None, headers)

    def do_patch(self, step):
        options = self.options(step)
        if "condition" in step:
            options["filter_predicate"] = step["condition"]
        value = self.container.patch_item(step["id"], key_of(step["key"]), step["operations"], **options)
        return Seen(value, value.get_response_headers())

    def do_batch(self, step):
        operations = []
        for part in step["operations"]:
            verb, options = part["op"], {}
            if "if_match" in part:
                options["if_match_etag"] = part["if_match"]
            if "if_none_match" in part:
                options["if_none_match_etag"] = part["if_none_match"]
            if "condition" in part:
                options["filter_predicate"] = part["condition"]
            arguments = {"create": ("item",), "upsert": ("item",), "replace": ("id", "item"), "read": ("id",),
                         "delete": ("id",), "patch": ("id", "operations")}[verb]
            operations.append((verb, tuple(part[name] for name in arguments), options))
        try:
            value = self.container.execute_item_batch(operations, key_of(step["key"]))
        except exceptions.CosmosBatchOperationError as error:
            return Seen(None, error.headers, results=[part["statusCode"] for part in error.operation_responses])
        return Seen(None, value.get_response_headers(), results=[part["statusCode"] for part in value])

    def do_bulk(self, step):
        raise Unsupported("this library has no bulk operation")

    def do_read_many(self, step):
        rows = self.container.read_items([(item, key_of(key)) for item, key in step["ids"]])
        return Seen(rows=list(rows))

    def do_delete_partition(self, step):
        self.container.delete_all_items_by_partition_key(key_of(step["key"]))
        return Seen()

    def paged(self, iterable, headers=None, split_after=None):
        pages = []
        for page in iterable.by_page():
            pages.append(list(page))
            if len(pages) == split_after:
                self.do_split_partition({})
        return Seen(None, headers or {}, rows=[row for page in pages for row in page], pages=len(pages))

    def do_list(self, step):
        return self.paged(self.container.read_all_items(max_item_count=step.get("page")))

    def do_query(self, step):
        headers = {}
        parameters = [{"name": name, "value": value} for name, value in step.get("parameters", {}).items()]
        options = {"max_item_count": step.get("page"), "response_hook": lambda seen, _: headers.update(seen)}
        if step.get("key") == [None]:
            raise Unsupported("to this library None means no partition key in a query")
        if "key" in step:
            options["partition_key"] = key_of(step["key"])
        else:
            options["enable_cross_partition_query"] = True
        if "session" in step:
            options["session_token"] = step["session"]
        if step.get("metrics"):
            options.update(populate_query_metrics=True, populate_index_metrics=True)
        ask = lambda: self.container.query_items(step["text"], parameters=parameters, **options)
        if not step.get("resume"):
            return self.paged(ask(), headers, step.get("split_after"))
        rows, pages, token = [], 0, None
        while pages == 0 or token:
            pager = ask().by_page(token)
            page = next(pager, None)
            if page is None:
                break
            rows.extend(page)
            pages, token = pages + 1, pager.continuation_token
            if pages == step.get("split_after"):
                self.do_split_partition({})
        return Seen(None, headers, rows=rows, pages=pages)

    def do_change_feed(self, step):
        options = {}
        if "page" in step:
            options["max_item_count"] = step["page"]
        if "follow" in step:
            options["continuation"] = step["follow"]
        elif "since" in step:
            options["start_time"] = datetime.datetime.fromtimestamp(step["since"], datetime.timezone.utc)
        else:
            options["start_time"] = {"beginning": "Beginning", "now": "Now"}[step["from"]]
            if step.get("mode") == "all":
                options["mode"] = "AllVersionsAndDeletes"
        if "key" in step:
            options["partition_key"] = key_of(step["key"])
        rows = list(self.container.query_items_change_feed(**options))
        kept = {"continuation": self.container.client_connection.last_response_headers["etag"]}
        return Seen(rows=rows, kept=kept)

    # Verbs: containers, databases, throughput, account.

    def do_read_container(self, step):
        headers = {}
        value = self.container.read(response_hook=lambda seen, _: headers.update(seen))
        return Seen(value, headers)

    def do_delete_container(self, step):
        self.database.delete_container(self.container)
        return Seen()

    def do_create_container(self, step):
        container_id, arguments = self.make_container(step.get("id", self.container.id), step["container"])
        self.database.create_container(container_id, **arguments)
        return Seen()

    def do_replace_container(self, step):
        _, arguments = self.make_container(None, step["container"])
        return Seen(self.database.replace_container(self.container, **arguments).read())

    def do_list_containers(self, step):
        return Seen(rows=list(self.database.list_containers()))

    def do_query_containers(self, step):
        parameters = [{"name": name, "value": value} for name, value in step["parameters"].items()]
        return Seen(rows=list(self.database.query_containers(step["text"], parameters=parameters)))

    def do_create_database(self, step):
        self.client.create_database(step["database"], offer_throughput=throughput_of(step.get("throughput")))
        return Seen()

    def do_read_database(self, step):
        return Seen(self.client.get_database_client(step["database"]).read())

    def do_delete_database(self, step):
        self.client.delete_database(step["database"])
        return Seen()

    def do_list_databases(self, step):
        return Seen(rows=list(self.client.list_databases()))

    def do_query_databases(self, step):
        parameters = [{"name": name, "value": value} for name, value in step["parameters"].items()]
        return Seen(rows=list(self.client.query_databases(step["text"], parameters=parameters)))

    def with_throughput(self, step):
        return self.client.get_database_client(step["database"]) if "database" in step else self.container

    def do_read_throughput(self, step):
        found = self.with_throughput(step).get_throughput()
        return Seen({"throughput": found.offer_throughput, "autoscale": found.auto_scale_max_throughput})

    def do_replace_throughput(self, step):
        self.with_throughput(step).replace_throughput(throughput_of(step["throughput"]))
        return Seen()

    def do_feed_ranges(self, step):
        return Seen(rows=list(self.container.read_feed_ranges()))

    def do_account(self, step):
        client = CosmosClient(self.endpoint, "d3Jvbmc=") if step.get("wrong_key") else self.client
        account = client.get_database_account()
        return Seen({"consistency": account.ConsistencyPolicy["defaultConsistencyLevel"]})

    # Verbs: users, permissions, scripts.

    def attached(self, step):
        """The functions of a kind by verb, and the words before the body: none, or the user of a permission."""
        kind = step["kind"]
        if kind == "client_encryption_key":
            raise Unsupported("this library has no client encryption keys of its own")
        if kind == "permission":
            user = self.database.get_user_client(step["of"])
            read = lambda item: user.get_permission(item)
            return user, kind, read
        if kind == "user":
            return self.database, kind, lambda item: self.database.get_user_client(item)
        return self.container.scripts, kind, None

    def shown(self, found):
        return getattr(found, "properties", found)

    def do_create_resource(self, step, verb="create"):
        of, kind, _ = self.attached(step)
        make = getattr(of, f"{verb}_{kind}", None)
        if make is None:
            raise Unsupported(f"this library has no {verb} of {kind}")
        body, options = dict(step["body"]), {}
        if kind == "permission":
            body.setdefault("resource", f"dbs/{self.database_id}/colls/{self.container.id}")
            if "partition" in body:
                body["resourcePartitionKey"] = body.pop("partition")
            if "expiry" in step:
                options["resource_token_expiry_seconds"] = step["expiry"]
        if verb == "replace":
            found = make(step["id"], body, **options)
        else:
            found = make(body, **options)
        if kind == "user":
            found = found.read()
        value = self.shown(found)
        return Seen(value, kept={"token": value.get("_token"), "etag": value.get("_etag")})

    def do_upsert_resource(self, step):
        return self.do_create_resource(step, "upsert")

    def do_replace_resource(self, step):
        return self.do_create_resource(step, "replace")

    def do_read_resource(self, step):
        of, kind, _ = self.attached(step)
        if kind == "user":
            return Seen(of.get_user_client(step["id"]).read())
        value = self.shown(getattr(of, f"get_{kind}")(step["id"]))
        return Seen(value, kept={"token": value.get("_token")})

    def do_delete_resource(self, step):
        of, kind, _ = self.attached(step)
        getattr(of, f"delete_{kind}")(step["id"])
        return Seen()

    def do_list_resources(self, step):
        of, kind, _ = self.attached(step)
        return Seen(rows=list(getattr(of, f"list_{kind}s")()))

    def do_query_resources(self, step):
        of, kind, _ = self.attached(step)
        parameters = [{"name": name, "value": value} for name, value in step.get("parameters", {}).items()]
        return Seen(rows=list(getattr(of, f"query_{kind}s")(step["text"], parameters=parameters)))

    def do_execute(self, step):
        found = self.container.scripts.execute_stored_procedure(
            step["id"], partition_key=key_of(step["key"]), params=step.get("arguments"))
        return Seen(found)

    def do_as(self, verb, step):
        """Does one step as somebody else, or with the consistency of a client: a resource or a bearer token, a level."""
        who, own, mine = step.get("as", {}), self.container, self.database
        level = {"consistency_level": step["consistency"]} if "consistency" in step else {}
        if not who:
            credential = self.key
        elif "token" in who:
            credential = {f"dbs/{self.database_id}/colls/{own.id}": who["token"]}
        elif self.endpoint.startswith("http:"):
            raise Unsupported("this library sends no bearer token over plain http")
        else:
            credential = FakeCredential(who.get("key", self.key))
        client = CosmosClient(self.endpoint, credential, **level)
        self.database = client.get_database_client(self.database_id)
        self.container = self.database.get_container_client(own.id)
        try:
            return verb(step)
        finally:
            self.container, self.database = own, mine

    # The server's test control.

    def control(self, path, body):
        url = f"{self.endpoint.rstrip('/')}/_planisphere/test/{path}"
        request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
        urllib.request.urlopen(request).read()
        return Seen()

    def do_advance_clock(self, step):
        return self.control("advance-clock", {"seconds": step["seconds"]})

    def do_split_partition(self, step):
        return self.control("split-partition", {"database": self.database_id, "container": self.container.id})

    def do_enforce_throughput(self, step):
        return self.control("enforce-throughput", {"database": self.database_id, "container": self.container.id})

    def do_inject_faults(self, step):
        return self.control("faults", step["rules"])

    def do_was_throttled(self, step):
        if not RETRIES:
            raise Unseen("the library did not retry after a throttled request")
        return self.control("was-throttled", {"database": self.database_id, "container": self.container.id})

    # One step, one scenario.

    def run_step(self, step):
        step = self.filled(copy.deepcopy(step))
        see = step.get("see", {})
        verb = getattr(self, f"do_{step['do']}", None)
        if verb is None:
            raise Unseen(f"the runner has no verb {step['do']}")
        try:
            seen = self.do_as(verb, step) if "as" in step or "consistency" in step else verb(step)
        except exceptions.CosmosHttpResponseError as error:
            check_failure(step, see, error)
            return
        except ValueError as error:
            if "fails" in see:
                raise Unsupported(f"this library refuses it before asking: {error}") from None
            raise
        if "fails" in see:
            raise Unseen(f"{step['do']} succeeded, and should fail with {see['fails']}")
        check(step["do"], see, seen)
        kept = {"etag": seen.headers.get("etag"), "session": seen.headers.get("x-ms-session-token"), **seen.kept}
        if isinstance(seen.value, dict):
            kept["time"] = seen.value.get("_ts")
        for name, what in step.get("save", {}).items():
            self.saved[name] = kept[what]

    def run(self, setup, scenario, keep):
        if not keep:
            self.set_up(scenario.get("setup", setup))
        for number, step in enumerate(scenario["steps"], 1):
            try:
                self.run_step(step)
            except Unseen as unseen:
                raise Unseen(f"step {number}: {unseen}") from None


def check_failure(step, see, error):
    wanted = see.get("fails")
    if wanted is None:
        raise Unseen(f"{step['do']} failed: {error.status_code}/{error.sub_status} {error.message[:300]}")
    if error.status_code != wanted["status"]:
        raise Unseen(f"{step['do']} failed with {error.status_code}, not {wanted['status']}: {error.message[:200]}")
    if wanted.get("substatus") not in (None, error.sub_status):
        raise Unseen(f"{step['do']} failed with sub-status {error.sub_status}, not {wanted['substatus']}")
    if wanted.get("message", "") not in error.message:
        raise Unseen(f"{step['do']} failed with {error.message[:300]}, not {wanted['message']}")


def plain(row):
    if isinstance(row, dict):
        return {name: value for name, value in row.items() if not name.startswith("_")}
    return row


def covers(found, wanted):
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(name in found and covers(found[name], wanted[name]) for name in wanted)
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def check(verb, see, seen):
    def demand(holds, text):
        if not holds:
            raise Unseen(f"{verb}: {text}")

    value, rows = seen.value, seen.rows
    demand(covers(value or {}, see.get("body", {})), f"saw {value}, wanted {see.get('body')}")
    objects = [found for found in [value or {}, *(rows or [])] if isinstance(found, dict)]
    absent = [name for name in see.get("absent", []) if any(name in found for found in objects)]
    demand(not absent, f"saw the members {absent}")
    demand(not see.get("unchanged") or not value, f"saw content {value}")
    demand(not see.get("empty") or not value, f"saw content {value}")
    for name in ("throughput", "autoscale", "consistency"):
        demand(name not in see or value[name] == see[name], f"saw {name} {value}, wanted {see.get(name)}")
    demand(not see.get("charge") or float(seen.headers.get("x-ms-request-charge", 0)) > 0, "saw no charge")
    demand(not see.get("etag") or seen.headers.get("etag") or (value or {}).get("_etag"), "saw no etag")
    demand(not see.get("session") or seen.headers.get("x-ms-session-token"), "saw no session token")
    demand(not see.get("query_metrics") or seen.headers.get("x-ms-documentdb-query-metrics"), "saw no query metrics")
    demand(not see.get("index_metrics") or seen.headers.get("x-ms-cosmos-index-utilization"), "saw no index metrics")
    if "rows" in see:
        demand([plain(row) for row in rows] == see["rows"], f"saw {rows}, wanted {see['rows']}")
    if "set" in see:
        ordered = lambda all_rows: sorted(json.dumps(plain(row), sort_keys=True) for row in all_rows)
        demand(ordered(rows) == ordered(see["set"]), f"saw {rows}, wanted in any order {see['set']}")
    if "has" in see:
        fits = len(rows) == len(see["has"]) and all(covers(row, want) for row, want in zip(rows, see["has"]))
        demand(fits, f"saw {rows}, wanted {see['has']}")
    if "includes" in see:
        demand(any(row["id"] == see["includes"] for row in rows), f"{see['includes']} is not listed")
    demand("count" not in see or len(rows) == see["count"], f"saw {len(rows or [])} rows, wanted {see.get('count')}")
    demand("pages_min" not in see or seen.pages >= see["pages_min"], f"saw {seen.pages} pages")
    demand("results" not in see or seen.results == see["results"], f"saw {seen.results}, wanted {see.get('results')}")


def judged(runner, setup, scenario, keep):
    try:
        runner.run(setup, scenario, keep)
        return "passed", ""
    except Unsupported as unsupported:
        return "unsupported", str(unsupported)
    except Unseen as unseen:
        return "failed", str(unseen)
    except Exception as error:  # A library that stumbles is a result, not the end of the run.
        return "failed", f"{type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--scenarios", required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    count_retries()
    runner = Runner(arguments.endpoint, arguments.key)
    for path in sorted(glob.glob(os.path.join(arguments.scenarios, "*.json"))):
        with open(path, encoding="utf-8") as opened:
            content = json.load(opened)
        shared = content.get("shared", False)
        if shared:
            runner.set_up(content["setup"])
        for scenario in content["scenarios"]:
            if arguments.only not in scenario["name"]:
                continue
            outcome, reason = judged(runner, content["setup"], scenario, shared)
            line = {"scenario": scenario["name"], "area": content["area"], "outcome": outcome, "reason": reason[:600]}
            print(json.dumps(line), flush=True)
    runner.client.delete_database(runner.database_id)


main()
