// Functions of browsers and Node that scripts in TypeScript expect, beside those of the engine.
// Evaluated before each script that uses them. The value is an object with the functions that the program calls.
(() => {
const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });

// ---- text ----

const well = (text) => String(text).toWellFormed();

define("TextEncoder", class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") {
        const bytes = [];
        for (const character of well(text)) {
            const c = character.codePointAt(0);
            if (c < 0x80) bytes.push(c);
            else if (c < 0x800) bytes.push(0xc0 | (c >> 6), 0x80 | (c & 63));
            else if (c < 0x10000) bytes.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
            else bytes.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
        }
        return new Uint8Array(bytes);
    }
    encodeInto(text, to) {
        if (!(to instanceof Uint8Array)) throw new TypeError("encodeInto() fills a Uint8Array");
        let read = 0, written = 0;
        for (const character of well(text)) {
            const bytes = this.encode(character);
            if (written + bytes.length > to.length) break;
            to.set(bytes, written);
            written += bytes.length;
            read += character.length;
        }
        return { read, written };
    }
});

const joined = (first, rest) => {
    const bytes = new Uint8Array(first.length + rest.length);
    bytes.set(first);
    bytes.set(rest, first.length);
    return bytes;
};

define("TextDecoder", class TextDecoder {
    #isFatal;
    #keepsMark;
    #rest = new Uint8Array(); // the begin of a character whose end comes with the next bytes
    #hasBegun = false;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
        if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(String(label).trim()))
            throw new RangeError(`TextDecoder knows utf-8 only, not ${label}`);
        this.#isFatal = !!fatal;
        this.#keepsMark = !!ignoreBOM;
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#isFatal; }
    get ignoreBOM() { return this.#keepsMark; }
    decode(input = new Uint8Array(), { stream = false } = {}) {
        if (!(input instanceof ArrayBuffer) && !ArrayBuffer.isView(input))
            throw new TypeError("TextDecoder.decode() takes an ArrayBuffer or a view of one");
        const given = input instanceof ArrayBuffer
            ? new Uint8Array(input) : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
        const bytes = this.#rest.length > 0 ? joined(this.#rest, given) : given;
        const hasBegun = this.#hasBegun;
        this.#rest = new Uint8Array();
        this.#hasBegun = false; // also after an error
        const text = this.#read(bytes, stream);
        this.#hasBegun = !!stream && (hasBegun || text !== "");
        return !this.#keepsMark && !hasBegun && text.startsWith("\ufeff") ? text.slice(1) : text;
    }
    #read(bytes, isPart) {
        let text = "", i = 0;
        while (i < bytes.length) {
            const begin = i, lead = bytes[i++];
            if (lead < 0x80) { text += String.fromCharCode(lead); continue; }
            const more = lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : 0;
            let point = more === 0 ? -1 : lead & (0x3f >> more);
            let low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
            let high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
            for (let n = 0; n < more && point >= 0; n++, low = 0x80, high = 0xbf)
                if (i === bytes.length && isPart) {
                    this.#rest = bytes.slice(begin);
                    return text;
                } else if (i < bytes.length && bytes[i] >= low && bytes[i] <= high) point = (point << 6) | (bytes[i++] & 63);
                else point = -1;
            if (point < 0 && this.#isFatal) throw new TypeError("The encoded data was not valid for encoding utf-8");
            text += point < 0 ? "\ufffd" : String.fromCodePoint(point);
        }
        return text;
    }
});

const encoder = new TextEncoder(), decoder = new TextDecoder();
const percent = (text, kept) => [...encoder.encode(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    return byte < 0x80 && kept.test(character) ? character : "%" + byte.toString(16).toUpperCase().padStart(2, "0");
}).join("");

// ---- addresses ----

const writeForm = (text) => percent(text, /[A-Za-z0-9*\-._ ]/).replaceAll(" ", "+");
const readForm = (text) => {
    const bytes = [];
    const raw = encoder.encode(text.replaceAll("+", " "));
    for (let i = 0; i < raw.length; i++) {
        const digits = String.fromCharCode(raw[i + 1] ?? 0, raw[i + 2] ?? 0);
        if (raw[i] === 37 && /^[0-9a-f]{2}$/i.test(digits)) { bytes.push(parseInt(digits, 16)); i += 2; }
        else bytes.push(raw[i]);
    }
    return decoder.decode(new Uint8Array(bytes));
};

class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = "", changed) {
        if (changed) this.#changed = changed;
        if (typeof init === "object" && init !== null)
            for (const [name, value] of typeof init[Symbol.iterator] === "function" ? init : Object.entries(init))
                this.#pairs.push([well(name), well(value)]);
        else
            for (const part of String(init).replace(/^\?/, "").split("&").filter(Boolean)) {
                const at = part.indexOf("=");
                this.#pairs.push(at < 0 ? [readForm(part), ""] : [readForm(part.slice(0, at)), readForm(part.slice(at + 1))]);
            }
    }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([well(name), well(value)]); this.#changed(this); }
    delete(name, value) {
        this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value)));
        this.#changed(this);
    }
    get(name) { return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]); }
    has(name, value) { return this.#pairs.some((pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value))); }
    set(name, value) {
        const first = this.#pairs.find((pair) => pair[0] === String(name));
        if (!first) { this.append(name, value); return; }
        first[1] = well(value);
        this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== String(name));
        this.#changed(this);
    }
    sort() { this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this.#changed(this); }
    forEach(each, self) { for (const [name, value] of this.#pairs) each.call(self, value, name, this); }
    *entries() { for (const [name, value] of this.#pairs) yield [name, value]; }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map((pair) => pair.map(writeForm).join("=")).join("&"); }
}
define("URLSearchParams", URLSearchParams);

const PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21" };
const PATH = /[A-Za-z0-9\-._~!$&'()*+,;=:@\/%|\[\]\\]/;
const QUERY = /[A-Za-z0-9\-._~!$&()*+,;=:@\/?%|\[\]\\^{}`]/;
const FRAGMENT = /[A-Za-z0-9\-._~!$&'()*+,;=:@\/?%#|\[\]\\^{}]/;
const flat = (path) => {
    const parts = [];
    const all = path.split("/").slice(1);
    all.forEach((part, i) => {
        const plain = part.replace(/%2e/gi, ".");
        if (plain === "..") parts.pop();
        else if (plain !== ".") parts.push(part);
        if ((plain === "." || plain === "..") && i === all.length - 1) parts.push("");
    });
    return "/" + parts.join("/");
};

class URL {
    #parts;
    #params;
    constructor(text, base) {
        const given = well(text).replace(/^[\0- ]+|[\0- ]+$/g, "").replace(/[\t\n\r]/g, "");
        const parts = URL.#read(given, base === undefined ? undefined : new URL(base).#parts);
        if (!parts) throw new TypeError(`Invalid URL: ${text}`);
        this.#parts = parts;
        this.#params = new URLSearchParams(parts.search, (params) => {
            const search = params.toString();
            this.#parts.search = search && "?" + search;
        });
    }
    static canParse(text, base) {
        try { new URL(text, base); return true; } catch { return false; }
    }
    static parse(text, base) {
        try { return new URL(text, base); } catch { return null; }
    }
    static #read(text, base) {
        const [, protocol, rest] = /^([a-z][a-z0-9+\-.]*:)?(.*)$/is.exec(text);
        const scheme = protocol?.toLowerCase();
        const [, beforeHash, hash] = /^([^#]*)(#.*)?$/s.exec(rest);
        const [, path, search] = /^([^?]*)(\?.*)?$/s.exec(beforeHash);
        const tail = {
            search: search && search !== "?" ? percent(search, QUERY) : "",
            hash: hash && hash !== "#" ? percent(hash, FRAGMENT) : "",
        };
        const isWeb = (scheme ?? base?.protocol) in PORTS;
        const slashed = isWeb ? path.replaceAll("\\", "/") : path;
        if (!scheme && !base) return undefined;
        if (scheme && !isWeb && !slashed.startsWith("//"))
            return { protocol: scheme, username: "", password: "", hostname: "", port: "", pathname: slashed, isOpaque: true, ...tail };
        if (scheme && isWeb && scheme === base?.protocol && !slashed.startsWith("/"))
            return URL.#read(rest, base);
        if (scheme ? isWeb || slashed.startsWith("//") : slashed.startsWith("//"))
            return URL.#readHost(scheme ?? base.protocol, slashed.replace(isWeb ? /^\/*/ : /^\/\//, ""), tail);
        if (base.isOpaque) return undefined;
        if (slashed === "")
            return { ...base, search: search === undefined ? base.search : tail.search, hash: tail.hash };
        const folder = slashed.startsWith("/") ? "" : base.pathname.slice(0, base.pathname.lastIndexOf("/") + 1);
        return { ...base, ...tail, pathname: flat(percent(folder + slashed, PATH)) };
    }
    static #readHost(protocol, text, tail) {
        const [, authority, path] = /^([^\/]*)(.*)$/s.exec(text);
        const at = authority.lastIndexOf("@");
        const [, username, password = ""] = /^([^:]*)(?::(.*))?$/s.exec(at < 0 ? "" : authority.slice(0, at));
        const host = /^(\[[0-9a-f:.]+\]|[^:\[\]]*)(?::(\d*))?$/i.exec(authority.slice(at + 1));
        if (!host || /[\s#%\/<>?@\\^|]/.test(host[1]) || Number(host[2] ?? 0) > 65535) return undefined;
        if (host[1] === "" && protocol in PORTS) return undefined;
        const port = host[2] ? String(Number(host[2])) : "";
        return {
            protocol, username: percent(username, /[A-Za-z0-9\-._~!$&'()*+,%]/), password: percent(password, /[A-Za-z0-9\-._~!$&'()*+,%]/),
            hostname: host[1].toLowerCase(), port: port === PORTS[protocol] ? "" : port,
            pathname: flat(percent(path || "/", PATH)), ...tail,
        };
    }
    #change(change) {
        const copy = Object.assign(Object.create(null), this.#parts, change);
        const parts = URL.#read(URL.#write(copy));
        if (!parts) return;
        this.#parts = parts;
        this.#params = new URLSearchParams(parts.search, (params) => {
            const search = params.toString();
            this.#parts.search = search && "?" + search;
        });
    }
    static #write(parts) {
        if (parts.isOpaque) return parts.protocol + parts.pathname + parts.search + parts.hash;
        const user = parts.username + (parts.password && ":" + parts.password);
        return parts.protocol + "//" + user + (user && "@") + parts.hostname + (parts.port && ":" + parts.port)
            + parts.pathname + parts.search + parts.hash;
    }
    get href() { return URL.#write(this.#parts); }
    set href(text) { this.#parts = new URL(text).#parts; this.#change({}); }
    get origin() { return this.#parts.protocol in PORTS ? this.#parts.protocol + "//" + this.host : "null"; }
    get protocol() { return this.#parts.protocol; }
    set protocol(text) { this.#change({ protocol: String(text).replace(/:?$/, ":") }); }
    get username() { return this.#parts.username; }
    set username(text) { this.#change({ username: percent(text, /[A-Za-z0-9\-._~]/) }); }
    get password() { return this.#parts.password; }
    set password(text) { this.#change({ password: percent(text, /[A-Za-z0-9\-._~]/) }); }
    get host() { return this.#parts.hostname + (this.#parts.port && ":" + this.#parts.port); }
    set host(text) { const [hostname, port = this.#parts.port] = String(text).split(":"); this.#change({ hostname, port }); }
    get hostname() { return this.#parts.hostname; }
    set hostname(text) { this.#change({ hostname: String(text) }); }
    get port() { return this.#parts.port; }
    set port(text) { this.#change({ port: String(text) }); }
    get pathname() { return this.#parts.pathname; }
    set pathname(text) { this.#change({ pathname: percent(String(text).replace(/^\/?/, "/"), /[A-Za-z0-9\-._~!$&'()*+,;=:@\/%|\[\]^]/) }); }
    get search() { return this.#parts.search; }
    set search(text) { this.#change({ search: String(text).replace(/^(?=[^?])/, "?") }); }
    get hash() { return this.#parts.hash; }
    set hash(text) { this.#change({ hash: String(text).replace(/^(?=[^#])/, "#") }); }
    get searchParams() { return this.#params; }
    toString() { return this.href; }
    toJSON() { return this.href; }
}
define("URL", URL);

// ---- copies ----

const copyOf = (value, known) => {
    if (typeof value === "function" || typeof value === "symbol")
        throw new DOMException(`structuredClone() copies no ${typeof value}`, "DataCloneError");
    if (typeof value !== "object" || value === null) return value;
    if (known.has(value)) return known.get(value);
    const keep = (copy) => { known.set(value, copy); return copy; };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) {
        const buffer = copyOf(value.buffer, known);
        const length = value instanceof DataView ? value.byteLength : value.length;
        return keep(new value.constructor(buffer, value.byteOffset, length));
    }
    if (value instanceof Map) {
        const copy = keep(new Map());
        for (const [key, one] of value) copy.set(copyOf(key, known), copyOf(one, known));
        return copy;
    }
    if (value instanceof Set) {
        const copy = keep(new Set());
        for (const one of value) copy.add(copyOf(one, known));
        return copy;
    }
    if (value instanceof Error) {
        const copy = keep(new (globalThis[value.name] ?? Error)(value.message));
        if ("cause" in value) copy.cause = copyOf(value.cause, known);
        return copy;
    }
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) copy[key] = copyOf(value[key], known);
    return copy;
};
define("structuredClone", (value) => copyOf(value, new Map()));

// ---- timers: while a request is open they count the time of waiting; else the clock stands still, and each runs
// when nothing else is left to do. The earliest runs first ----

const LONGEST = 2147483647;
let lastTimer = 0, passed = 0;
const timers = [];
define("setTimeout", (run, delay = 0, ...given) => {
    if (typeof run !== "function") throw new TypeError("setTimeout() takes a function");
    const wanted = Number(delay);
    timers.push({ number: ++lastTimer, at: passed + (wanted > 0 && wanted <= LONGEST ? wanted : 0), run, given });
    return lastTimer;
});
define("clearTimeout", (number) => {
    const at = timers.findIndex((timer) => timer.number === number);
    if (at >= 0) timers.splice(at, 1);
});
const first = () => timers.reduce((one, other) => (other.at < one.at ? other : one), timers[0]);
const timeLeft = (now) => {
    passed = now;
    return timers.length > 0 ? first().at - passed : Infinity;
};
const runTimer = (now) => {
    const timer = first();
    passed = now;
    timers.splice(timers.indexOf(timer), 1);
    timer.run(...timer.given);
};

// ---- requests ----

let make, end;
class AbortSignal {
    static #isMaking = false;
    #aborted = false;
    #reason = undefined;
    #listeners = [];
    onabort = null;
    constructor() {
        if (!AbortSignal.#isMaking) throw new TypeError("Illegal constructor: use new AbortController().signal");
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    addEventListener(type, run) {
        if (type === "abort" && !this.#listeners.includes(run)) this.#listeners.push(run);
    }
    removeEventListener(type, run) { this.#listeners = this.#listeners.filter((one) => one !== run || type !== "abort"); }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason) { const signal = make(); end(signal, reason); return signal; }
    static timeout(delay) {
        if (!(Number.isInteger(delay) && delay >= 0 && delay <= LONGEST))
            throw new RangeError("AbortSignal.timeout() takes milliseconds");
        const signal = make();
        setTimeout(() => end(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), delay);
        return signal;
    }
    static any(signals) {
        const signal = make(), all = [...signals];
        for (const one of all)
            if (!(one instanceof AbortSignal)) throw new TypeError("AbortSignal.any() takes a list of signals");
        const aborted = all.find((one) => one.aborted);
        if (aborted) end(signal, aborted.reason);
        else for (const one of all) one.addEventListener("abort", () => end(signal, one.reason));
        return signal;
    }
    static {
        make = () => {
            AbortSignal.#isMaking = true;
            try { return new AbortSignal(); } finally { AbortSignal.#isMaking = false; }
        };
        end = (signal, reason = new DOMException("This operation was aborted", "AbortError")) => {
            if (signal.#aborted) return;
            signal.#aborted = true;
            signal.#reason = reason;
            const event = { type: "abort", target: signal };
            signal.onabort?.(event);
            for (const run of signal.#listeners) typeof run === "function" ? run.call(signal, event) : run?.handleEvent?.(event);
        };
    }
}
define("AbortSignal", AbortSignal);
define("AbortController", class AbortController {
    #signal = make();
    get signal() { return this.#signal; }
    abort(reason) { end(this.#signal, reason); }
});

// Its fields are its own members, as fetch() reads them.
class Headers {
    #cookies = [];
    constructor(init = {}) {
        for (const [name, value] of typeof init[Symbol.iterator] === "function" ? init : Object.entries(init))
            this.append(name, value);
    }
    append(name, value) {
        const key = String(name).toLowerCase(), text = String(value).trim();
        if (key === "set-cookie") this.#cookies.push(text);
        this[key] = Object.hasOwn(this, key) ? `${this[key]}, ${text}` : text;
    }
    set(name, value) { this.delete(name); this.append(name, value); }
    get(name) { const key = String(name).toLowerCase(); return Object.hasOwn(this, key) ? this[key] : null; }
    has(name) { return Object.hasOwn(this, String(name).toLowerCase()); }
    delete(name) {
        const key = String(name).toLowerCase();
        if (key === "set-cookie") this.#cookies = [];
        delete this[key];
    }
    getSetCookie() { return [...this.#cookies]; }
    forEach(each, self) { for (const [name, value] of this) each.call(self, value, name, this); }
    *entries() {
        for (const name of Object.keys(this).sort())
            if (name === "set-cookie") for (const cookie of this.#cookies) yield [name, cookie];
            else yield [name, this[name]];
    }
    *keys() { for (const [name] of this.entries()) yield name; }
    *values() { for (const [, value] of this.entries()) yield value; }
    [Symbol.iterator]() { return this.entries(); }
}
define("Headers", Headers);

class AnswerHeaders extends Headers {
    getSetCookie() { throw new TypeError("getSetCookie() of an answer: its cookies are not kept"); }
}

// A form goes with its type.
const formOf = (options) => {
    if (!(options?.body instanceof URLSearchParams)) return options;
    const headers = new Headers(options.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
    return { ...options, headers };
};

const ask = globalThis.fetch;
define("fetch", function fetch(url, options = {}) {
    const signal = options?.signal ?? undefined;
    if (signal && !(signal instanceof AbortSignal)) return Promise.reject(new TypeError("fetch: signal must be an AbortSignal"));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const control = {};
    const asked = ask(url instanceof URL ? url.href : url, formOf(options), control);
    if (!signal) return asked;
    return new Promise((resolve, reject) => {
        const abort = () => {
            control.end?.();
            reject(signal.reason);
        };
        signal.addEventListener("abort", abort);
        asked.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
});

// ---- random numbers, from the seed of the render ----

define("crypto", {
    get subtle() {
        throw new TypeError("crypto has getRandomValues() and randomUUID() only");
    },
    getRandomValues(array) {
        if (!ArrayBuffer.isView(array) || array instanceof Float32Array || array instanceof Float64Array)
            throw new TypeError("getRandomValues() fills arrays of integers");
        const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
        if (bytes.length > 65536) throw new DOMException("getRandomValues() makes 65,536 bytes at most", "QuotaExceededError");
        for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(Math.random() * 256);
        return array;
    },
    randomUUID() {
        const bytes = this.getRandomValues(new Uint8Array(16));
        bytes[6] = (bytes[6] & 15) | 64;
        bytes[8] = (bytes[8] & 63) | 128;
        const text = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
});

return { timeLeft, runTimer, answerHeaders: (values) => new AnswerHeaders(values) };
})()
