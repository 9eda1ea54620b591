// The objects that a script sees: the context, the container, request and response, the console.
//
// Evaluates to a function that is called with the native functions and the facts of one run. Everything it needs later
// is captured before the script runs, and no array or object of its own inherits anything: whatever a script does to
// built-in prototypes, these functions do not notice.
(function (enqueue, writeLog, facts) {
    "use strict";
    const { parse, stringify } = JSON;
    const { apply } = Reflect;
    const { isArray } = Array;
    const { defineProperty, freeze, getOwnPropertyNames } = Object;
    const ServiceError = Error;
    const startsWith = String.prototype.startsWith;
    const slice = String.prototype.slice;
    const indexOf = String.prototype.indexOf;
    const sort = Array.prototype.sort;
    const decode = decodeURIComponent;
    const toText = String;

    const ErrorCodes = freeze({
        __proto__: null,
        BadRequest: 400, Forbidden: 403, NotFound: 404, Conflict: 409, PreconditionFailed: 412,
        RequestEntityTooLarge: 413, RetryWith: 449, InternalServerError: 500,
    });

    const state = { __proto__: null, aborted: undefined, hasAborted: false };
    const waiting = { __proto__: null };
    const ids = { __proto__: null };

    function refuse(number, message) { return new ServiceError(number, message); }

    function typeError(name, expected, value) {
        return refuse(400, `The "${name}" parameter must be of type ${expected}. Actual type is: "${typeof value}".`);
    }

    // Elements are defined and not assigned: a script may have defined setters on the prototype of arrays.
    function append(list, value) {
        defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    }

    function checkCount(name, wanted, count) {
        if (count < wanted) {
            throw refuse(400, `The function "${name}" requires at least ${wanted} argument(s) but was called with ${count} argument(s).`);
        }
    }

    function settle(options, callback) {
        if (options === undefined || options === null) return { __proto__: null, options: { __proto__: null }, callback };
        if (callback === undefined && typeof options === "function") {
            return { __proto__: null, options: { __proto__: null }, callback: options };
        }
        if (typeof options !== "object") throw typeError("options", '"object"', options);
        return { __proto__: null, options, callback };
    }

    function checkCallback(callback) {
        if (callback !== undefined && callback !== null && typeof callback !== "function") {
            throw typeError("callback", '"function"', callback);
        }
    }

    function text(value) { return value === undefined || value === null ? undefined : toText(value); }

    function submit(kind, first, second, third, fourth, expects, callback) {
        if (state.hasAborted) return false;
        const number = enqueue(kind, first, second, third, fourth);
        if (number < 0) return false;
        waiting[number] = { __proto__: null, callback, expects };
        return true;
    }

    function remember(document) {
        if (document === null || typeof document !== "object" || isArray(document)) return;
        const { _rid, id } = document;
        if (typeof _rid === "string" && typeof id === "string") ids[_rid] = id;
    }

    function trimmed(link) {
        let from = 0;
        let to = link.length;
        while (from < to && link[from] === "/") from++;
        while (to > from && link[to - 1] === "/") to--;
        return apply(slice, link, [from, to]);
    }

    const selfLink = trimmed(facts.selfLink);
    const alternateLink = trimmed(facts.alternateLink);

    function outside(link) {
        return refuse(403, `Function is not allowed to operate on resources outside current collection. Make sure that the link provided, "${link}", belongs to current collection.`);
    }

    function checkCollection(link) {
        if (typeof link !== "string") throw refuse(400, `Invalid collection link: "${toText(link)}".`);
        const plain = trimmed(link);
        if (plain !== selfLink && plain !== alternateLink) {
            throw apply(startsWith, plain, ["dbs/"]) ? outside(link) : refuse(400, `Invalid collection link: "${link}".`);
        }
    }

    // The id of a document, or `#` and its resource id.
    function documentName(link) {
        if (typeof link !== "string") throw refuse(400, `Invalid document link: "${toText(link)}".`);
        const plain = trimmed(link);
        const byResource = selfLink + "/docs/";
        const byName = alternateLink + "/docs/";
        if (apply(startsWith, plain, [byResource])) {
            const rid = apply(slice, plain, [byResource.length]);
            const id = ids[rid];
            return id === undefined ? "#" + rid : "=" + id;
        }
        if (apply(startsWith, plain, [byName])) {
            const name = apply(slice, plain, [byName.length]);
            if (name !== "" && apply(indexOf, name, ["/"]) < 0) return "=" + decode(name);
        }
        const isOther = apply(startsWith, plain, ["dbs/"]) && apply(indexOf, plain, ["/docs/"]) > 0;
        throw isOther ? outside(link) : refuse(400, `Invalid document link: "${link}".`);
    }

    function bodyText(body) {
        if (typeof body === "string") return body;
        const json = typeof body === "object" && body !== null ? stringify(body) : undefined;
        if (json === undefined) {
            throw refuse(400, "The document body must be an object or a string representing a JSON-serialized object.");
        }
        return json;
    }

    function randomId() {
        const digits = "0123456789abcdef";
        let id = "";
        for (let index = 0; index < 36; index++) {
            if (index === 8 || index === 13 || index === 18 || index === 23) id += "-";
            else if (index === 14) id += "4";
            else id += digits[(facts.random() * 16) | 0];
        }
        return id;
    }

    // The text of a new document. Like the service, a create without an id makes one.
    function newBody(body, options) {
        const json = bodyText(body);
        if (options.disableAutomaticIdGeneration === true) return json;
        // Most documents begin with their id, and need not be parsed to find it.
        if (apply(startsWith, json, ['{"id":"'])) return json;
        let document;
        try {
            document = parse(json);
        } catch {
            // The engine refuses it, for the callback.
            return json;
        }
        if (document === null || typeof document !== "object" || isArray(document) || document.id !== undefined) return json;
        defineProperty(document, "id", {
            __proto__: null, value: randomId(), writable: true, enumerable: true, configurable: true,
        });
        return stringify(document);
    }

    const feedOptions = (options) => stringify({
        __proto__: null, pageSize: options.pageSize, continuation: text(options.continuation),
    });

    function queryText(query) {
        if (typeof query === "string") return { __proto__: null, query, parameters: undefined };
        if (typeof query !== "object" || query === null) throw typeError("filterQuery", '"string" or "object"', query);
        const parameters = query.parameters === undefined ? undefined : stringify(query.parameters);
        return { __proto__: null, query: text(query.query), parameters };
    }

    function unsupported(name) {
        return freeze(function () {
            throw refuse(400, `The function "${name}" is not supported: attachments were retired.`);
        });
    }

    const collection = {
        __proto__: null,
        getSelfLink() { return facts.selfLink; },
        getAltLink() { return facts.alternateLink; },
        createDocument(link, body, options, callback) {
            checkCount("createDocument", 2, arguments.length);
            checkCollection(link);
            const settled = settle(options, callback);
            checkCallback(settled.callback);
            const json = newBody(body, settled.options);
            return submit("create", json, undefined, undefined, text(settled.options.indexAction), "document", settled.callback);
        },
        upsertDocument(link, body, options, callback) {
            checkCount("upsertDocument", 2, arguments.length);
            checkCollection(link);
            const settled = settle(options, callback);
            checkCallback(settled.callback);
            const json = newBody(body, settled.options);
            const { etag, indexAction } = settled.options;
            return submit("upsert", json, undefined, text(etag), text(indexAction), "document", settled.callback);
        },
        replaceDocument(link, body, options, callback) {
            checkCount("replaceDocument", 2, arguments.length);
            const name = documentName(link);
            const settled = settle(options, callback);
            checkCallback(settled.callback);
            const { etag, indexAction } = settled.options;
            return submit("replace", bodyText(body), name, text(etag), text(indexAction), "document", settled.callback);
        },
        deleteDocument(link, options, callback) {
            checkCount("deleteDocument", 1, arguments.length);
            const name = documentName(link);
            const settled = settle(options, callback);
            checkCallback(settled.callback);
            return submit("delete", undefined, name, text(settled.options.etag), undefined, "nothing", settled.callback);
        },
        readDocument(link, options, callback) {
            checkCount("readDocument", 1, arguments.length);
            const name = documentName(link);
            const settled = settle(options, callback);
            checkCallback(settled.callback);
            return submit("read", undefined, name, text(settled.options.ifNoneMatch), undefined, "document", settled.callback);
        },
        readDocuments(link, options, callback) {
            checkCount("readDocuments", 1, arguments.length);
            checkCollection(link);
            const settled = settle(options, callback);
            checkCallback(settled.callback);
            return submit("list", feedOptions(settled.options), undefined, undefined, undefined, "feed", settled.callback);
        },
        queryDocuments(link, query, options, callback) {
            checkCount("queryDocuments", 2, arguments.length);
            checkCollection(link);
            const asked = queryText(query);
            const settled = settle(options, callback);
            checkCallback(settled.callback);
            const page = feedOptions(settled.options);
            return submit("query", page, asked.query, asked.parameters, undefined, "feed", settled.callback);
        },
        chain() { return pipeline([], true); },
        filter(predicate, options, callback) { return single("filter", predicate, undefined, options, callback); },
        map(transform, options, callback) { return single("map", transform, undefined, options, callback); },
        pluck(name, options, callback) { return single("pluck", name, undefined, options, callback); },
        flatten(isShallow, options, callback) {
            if (typeof isShallow !== "boolean" && isShallow !== undefined) return single("flatten", false, undefined, isShallow, options);
            return single("flatten", isShallow, undefined, options, callback);
        },
        sortBy(key, options, callback) { return single("sortBy", key, undefined, options, callback); },
        sortByDescending(key, options, callback) { return single("sortByDescending", key, undefined, options, callback); },
        unwind(select, result, options, callback) {
            if (typeof result !== "function") return single("unwind", select, undefined, result, options);
            return single("unwind", select, result, options, callback);
        },
    };
    const attachments = [
        "createAttachment", "upsertAttachment", "replaceAttachment", "deleteAttachment", "readAttachment",
        "readAttachments", "queryAttachments",
    ];
    for (let index = 0; index < attachments.length; index++) {
        collection[attachments[index]] = unsupported(attachments[index]);
    }

    // The query functions: steps over the documents of the logical partition.
    function step(kind, first, second) {
        if (kind === "pluck") {
            if (typeof first !== "string" || first === "") {
                throw refuse(400, "The property name must be a string and cannot be empty.");
            }
        } else if (kind !== "flatten" && typeof first !== "function") {
            throw refuse(400, "The predicate/transform function must be provided.");
        }
        return { __proto__: null, kind, first, second };
    }

    function withStep(steps, added) {
        const all = [];
        for (let index = 0; index < steps.length; index++) append(all, steps[index]);
        append(all, added);
        return all;
    }

    function pipeline(steps) {
        return freeze({
            __proto__: null,
            filter(predicate) { return pipeline(withStep(steps, step("filter", predicate))); },
            map(transform) { return pipeline(withStep(steps, step("map", transform))); },
            pluck(name) { return pipeline(withStep(steps, step("pluck", name))); },
            flatten(isShallow) { return pipeline(withStep(steps, step("flatten", isShallow === true))); },
            sortBy(key) { return pipeline(withStep(steps, step("sortBy", key))); },
            sortByDescending(key) { return pipeline(withStep(steps, step("sortByDescending", key))); },
            unwind(select, result) { return pipeline(withStep(steps, step("unwind", select, result))); },
            value(options, callback) { return runSteps(steps, options, callback); },
        });
    }

    function single(kind, first, second, options, callback) {
        return runSteps([step(kind, first, second)], options, callback);
    }

    function isSort(kind) { return kind === "sortBy" || kind === "sortByDescending"; }

    function flattened(value, isShallow, into) {
        if (!isArray(value)) return append(into, value);
        for (let index = 0; index < value.length; index++) {
            if (isShallow) append(into, value[index]);
            else flattened(value[index], false, into);
        }
    }

    function compare(left, right) {
        if (left.key === right.key) return 0;
        if (left.key === undefined) return -1;
        if (right.key === undefined) return 1;
        return left.key < right.key ? -1 : 1;
    }

    function applySort(rows, current) {
        const keyed = [];
        for (let index = 0; index < rows.length; index++) {
            append(keyed, { __proto__: null, key: current.first(rows[index]), row: rows[index] });
        }
        const sign = current.kind === "sortBy" ? 1 : -1;
        apply(sort, keyed, [(left, right) => sign * compare(left, right)]);
        const sorted = [];
        for (let index = 0; index < keyed.length; index++) append(sorted, keyed[index].row);
        return sorted;
    }

    function applyStep(rows, current) {
        if (isSort(current.kind)) return applySort(rows, current);
        const result = [];
        for (let index = 0; index < rows.length; index++) {
            const row = rows[index];
            if (current.kind === "filter") {
                if (current.first(row)) append(result, row);
            } else if (current.kind === "map") {
                append(result, current.first(row));
            } else if (current.kind === "pluck") {
                const value = row === null || row === undefined ? undefined : row[current.first];
                if (value !== undefined) append(result, value);
            } else if (current.kind === "flatten") {
                flattened(row, current.first === true, result);
            } else {
                const inner = current.first(row);
                if (!isArray(inner)) continue;
                for (let at = 0; at < inner.length; at++) {
                    append(result, current.second ? current.second(row, inner[at]) : inner[at]);
                }
            }
        }
        return result;
    }

    // Without a callback the rows become the body of the response.
    function deliver(error, rows, information, callback) {
        if (callback) return void callback(error, rows, information);
        if (error) throw error;
        if (!response) {
            throw refuse(400, "The callback function must be provided for scenarios, such as pre-trigger, when response object is not available.");
        }
        response.setBody(rows);
    }

    function runSteps(steps, options, callback) {
        const settled = settle(options, callback);
        checkCallback(settled.callback);
        let sorts = false;
        for (let index = 0; index < steps.length; index++) sorts = sorts || isSort(steps[index].kind);
        const all = [];
        function finish(rows, information) {
            let result = rows;
            for (let index = 0; index < steps.length; index++) result = applyStep(result, steps[index]);
            deliver(undefined, result, information, settled.callback);
        }
        function next(continuation) {
            const { pageSize } = settled.options;
            const page = stringify({ __proto__: null, pageSize: sorts ? -1 : pageSize, continuation });
            return submit("list", page, undefined, undefined, undefined, "feed", (error, rows, information) => {
                if (error) return deliver(error, undefined, undefined, settled.callback);
                if (!sorts) return finish(rows, information);
                for (let index = 0; index < rows.length; index++) append(all, rows[index]);
                if (information.continuation === undefined) return finish(all, { continuation: undefined });
                if (!next(information.continuation)) throw refuse(403, "The query was not accepted.");
            });
        }
        return freeze({ __proto__: null, isAccepted: next(text(settled.options.continuation)) });
    }

    // Request and response.
    function message(values, isWritable) {
        const current = { __proto__: null };
        const names = getOwnPropertyNames(values);
        for (let index = 0; index < names.length; index++) current[names[index]] = values[names[index]];
        const changed = { __proto__: null, body: false };
        // The body has two names: scripts also write it as "Body".
        const known = (name) => name === "Body" ? "body" : name;
        function write(name, value) {
            if (!(name in current)) throw refuse(400, "Cannot set new values: " + toText(name));
            if (name !== "body" || !isWritable) throw refuse(403, "Not a writable property: " + toText(name));
            current.body = value;
            changed.body = true;
        }
        // What is appended is text, also if it is a number: 1 and 2 make "12".
        function add(name, value) {
            const before = current[name];
            write(name, before === undefined || before === null ? value : toText(before) + toText(value));
        }
        const object = {
            __proto__: null,
            getBody() { return current.body; },
            getValue(name) { return current[known(name)]; },
            setValue(name, value) { write(known(name), value); },
            appendValue(name, value) { add(known(name), value); },
            setBody(value) { write("body", value); },
            appendBody(value) { add("body", value); },
            getOperationType() { return current.OperationType; },
        };
        return { __proto__: null, object: freeze(object), current, changed };
    }

    const parsed = (json) => json === undefined ? undefined : parse(json);
    const requestMessage = message(
        { __proto__: null, body: parsed(facts.requestBody), OperationType: facts.operation }, facts.purpose === "before");
    const responseMessage = facts.purpose === "before"
        ? undefined
        : message({ __proto__: null, body: parsed(facts.responseBody) }, true);
    const request = requestMessage.object;
    const response = responseMessage && responseMessage.object;

    defineProperty(collection, "request", { __proto__: null, value: request, enumerable: true });
    if (response) defineProperty(collection, "response", { __proto__: null, value: response, enumerable: true });
    const functions = getOwnPropertyNames(collection);
    for (let index = 0; index < functions.length; index++) freeze(collection[functions[index]]);
    freeze(collection);

    const context = {
        __proto__: null,
        getCollection() { return collection; },
        getRequest() { return request; },
        abort(error) {
            if (!state.hasAborted) {
                state.hasAborted = true;
                state.aborted = error === undefined ? refuse(400, "The script was aborted.") : error;
            }
            throw state.aborted;
        },
    };
    if (response) context.getResponse = function getResponse() { return response; };
    freeze(context);

    function printed(value) {
        return typeof value === "object" && value !== null ? stringify(value) : toText(value);
    }

    // The first value may be a format, as in browsers: each %s, %d, %i, %f, %o, %O and %j takes one of the others.
    function line(values) {
        let next = 0;
        let result = "";
        if (typeof values[0] === "string") {
            const format = values[next++];
            let from = 0;
            for (;;) {
                const at = apply(indexOf, format, ["%", from]);
                if (at < 0 || at + 1 >= format.length) break;
                const kind = format[at + 1];
                result += apply(slice, format, [from, at]);
                from = at + 2;
                const isPlace = apply(indexOf, "sdifoOj", [kind]) >= 0;
                if (kind === "%") result += "%";
                else if (isPlace && next < values.length) result += printed(values[next++]);
                else result += "%" + kind;
            }
            result += apply(slice, format, [from]);
        }
        for (; next < values.length; next++) result += (next > 0 ? " " : "") + printed(values[next]);
        return result;
    }

    let hasLogged = false;
    const console = {
        __proto__: null,
        log(...values) {
            if (!facts.wantsLog) return;
            writeLog((hasLogged ? "\n" : "") + line(values));
            hasLogged = true;
        },
    };
    freeze(console);

    const shown = { __proto__: null, getContext: freeze(() => context), __: collection, ErrorCodes, console };
    const shownNames = getOwnPropertyNames(shown);
    for (let index = 0; index < shownNames.length; index++) {
        const value = shown[shownNames[index]];
        defineProperty(globalThis, shownNames[index], { __proto__: null, value, enumerable: false });
    }

    defineProperty(Math, "random", { __proto__: null, value: facts.random, writable: true, configurable: true });

    // What the native side calls.
    const message_ = facts.purpose === "before" ? requestMessage : responseMessage;
    return freeze({
        __proto__: null,
        begin(script) {
            const values = facts.purpose === "procedure" ? requestMessage.current.body : [];
            return apply(script, undefined, isArray(values) ? values : []);
        },
        answer(number, status, json, continuation, isUnmodified) {
            const { callback, expects } = waiting[number];
            delete waiting[number];
            if (status >= 400) {
                const error = refuse(status, json);
                error.body = json;
                if (!callback) throw error;
                return void callback(error, undefined, undefined);
            }
            // Nobody sees the document.
            if (!callback) return;
            let value;
            const information = { statusCode: status };
            if (expects === "feed") {
                value = parse(json);
                for (let index = 0; index < value.length; index++) remember(value[index]);
                information.continuation = continuation;
            } else if (json !== undefined) {
                value = parse(json);
                remember(value);
            }
            if (isUnmodified) information.notModified = true;
            callback(undefined, value, information);
        },
        hasAborted() { return state.hasAborted; },
        abortReason() { return state.aborted; },
        output() {
            if (!message_.changed.body) return undefined;
            return stringify(message_.current.body);
        },
    });
})
