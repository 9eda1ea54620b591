// Bounds for built-in functions that loop natively, where nothing can interrupt them.
//
// Generic array functions take any object with a length, up to 2^53 - 1, and skip absent elements without running a line
// of the script. Here an array beyond the limit is refused, and other objects are visited through a proxy whose traps
// run as script code, so that the time limit is noticed.
(function () {
    "use strict";
    const LENGTH_MAX = 1 << 24;
    const { apply, construct, get, set, has, deleteProperty } = Reflect;
    const { isArray } = Array;
    const { defineProperty, setPrototypeOf } = Object;
    const NativeObject = Object;
    const NativeProxy = Proxy;
    const NativeRangeError = RangeError;
    const NativeTypeError = TypeError;
    const proxies = new WeakSet();
    const addProxy = proxies.add.bind(proxies);
    const isProxy = proxies.has.bind(proxies);
    const spreadable = Symbol.isConcatSpreadable;

    // Proxies are recorded, because nothing else can tell a proxy of an array from an array.
    function RecordedProxy(target, handler) {
        if (new.target === undefined) throw new NativeTypeError("Proxy must be called with new");
        const proxy = new NativeProxy(target, handler);
        addProxy(proxy);
        return proxy;
    }
    const nativeRevocable = NativeProxy.revocable;
    defineProperty(RecordedProxy, "name", { value: "Proxy" });
    defineProperty(RecordedProxy, "revocable", {
        value: function revocable(target, handler) {
            const revocable = nativeRevocable(target, handler);
            addProxy(revocable.proxy);
            return revocable;
        },
        writable: true, configurable: true,
    });
    defineProperty(RecordedProxy, "prototype", { value: undefined });
    defineProperty(globalThis, "Proxy", { value: RecordedProxy, writable: true, configurable: true });

    function tooLong() {
        return new NativeRangeError("The array is longer than " + LENGTH_MAX + " elements.");
    }

    const watched = {
        __proto__: null,
        get(target, key) { return get(target, key); },
        set(target, key, value) { return set(target, key, value); },
        has(target, key) { return has(target, key); },
        deleteProperty(target, key) { return deleteProperty(target, key); },
    };

    function guard(name) {
        const native = Array.prototype[name];
        if (typeof native !== "function") return;
        const guarded = {
            [name](...parameters) {
                if (isArray(this) && !isProxy(this)) {
                    if (this.length > LENGTH_MAX) throw tooLong();
                    return apply(native, this, parameters);
                }
                if (this === null || this === undefined) return apply(native, this, parameters);
                const target = NativeObject(this);
                const proxy = new NativeProxy(target, watched);
                const result = apply(native, proxy, parameters);
                return result === proxy ? target : result;
            },
        }[name];
        defineProperty(guarded, "length", { value: native.length, configurable: true });
        defineProperty(Array.prototype, name, { value: guarded, writable: true, configurable: true });
    }

    const names = [
        "copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap",
        "forEach", "includes", "indexOf", "join", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "shift",
        "slice", "some", "sort", "splice", "toLocaleString", "toReversed", "toSorted", "toSpliced", "unshift", "with",
    ];
    for (let index = 0; index < names.length; index++) guard(names[index]);

    const nativeConcat = Array.prototype.concat;
    function checkSpread(value) {
        if (typeof value !== "object" && typeof value !== "function" || value === null) return;
        if (isArray(value) && !isProxy(value)) {
            if (value.length > LENGTH_MAX) throw tooLong();
        } else if (isArray(value) || value[spreadable]) {
            throw new NativeTypeError("concat spreads arrays only.");
        }
    }
    defineProperty(Array.prototype, "concat", {
        value: {
            concat(...parameters) {
                checkSpread(this);
                for (let index = 0; index < parameters.length; index++) checkSpread(parameters[index]);
                return apply(nativeConcat, this, parameters);
            },
        }.concat,
        writable: true, configurable: true,
    });

    // The error constructor of the service takes a number before the message.
    const NativeError = Error;
    const captureStackTrace = NativeError.captureStackTrace;
    function ServiceError(...parameters) {
        const isNumbered = parameters.length > 1 && typeof parameters[0] === "number";
        const target = new.target === undefined ? ServiceError : new.target;
        const error = construct(NativeError, isNumbered ? [parameters[1]] : parameters, target);
        if (isNumbered) {
            const value = parameters[0];
            defineProperty(error, "number", { value, writable: true, enumerable: true, configurable: true });
        }
        if (captureStackTrace) captureStackTrace(error, target);
        return error;
    }
    defineProperty(ServiceError, "name", { value: "Error" });
    defineProperty(ServiceError, "length", { value: 1 });
    defineProperty(ServiceError, "prototype", { value: NativeError.prototype, writable: false });
    defineProperty(NativeError.prototype, "constructor", {
        value: ServiceError, writable: true, configurable: true,
    });
    if (captureStackTrace) {
        defineProperty(ServiceError, "captureStackTrace", {
            value: captureStackTrace, writable: true, configurable: true,
        });
    }
    const kinds = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
    for (let index = 0; index < kinds.length; index++) setPrototypeOf(kinds[index], ServiceError);
    defineProperty(globalThis, "Error", { value: ServiceError, writable: true, configurable: true });
})();
