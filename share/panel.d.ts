// Types of what apps in TypeScript import and use, for editors: displayctl app types > panel.d.ts
//
// An app is a script, or several files, of which app.ts, main.ts or the only script has main():
//
//     import { Root, Text, type Input } from "panel";
//
//     export default function main({ config, local }: Input) {
//         return Root({ child: Text({ content: `${local.hour} ${config.name ?? ""}` }) });
//     }
//
// Widgets and their fields are those of apps in Starlark. Date is in the device's time zone, its clock
// stands still while main() runs, and Math.random() begins with the seed. fetch() reaches public servers;
// there are no files but the app's own: import { draw } from "./draw", import logo from "./logo.png".

declare module "panel" {
    /** Part of a picture. Only the functions below make it. */
    export interface Widget {
        readonly fields: object;
    }
    /** Result of main(); several are shown one after the other. */
    export interface Shown {
        readonly fields: object;
    }
    /** Pictures of device.width x device.height x 3 bytes: red, green, blue. The first 400 are shown. */
    export interface Frames {
        frames: Uint8Array[];
        /** Milliseconds of each frame; 50 by default. */
        delay?: number;
        max_age?: number;
        show_full_animation?: boolean;
    }
    /** Nothing: the app is left out until it has something to show. */
    export type Result = Shown | Shown[] | Frames | null | undefined;

    /** Argument of main(). */
    export interface Input {
        /** The settings, by the IDs of the schema's fields. */
        config: Record<string, string | undefined>;
        now: Date;
        /** Like "Europe/Zagreb". */
        timezone: string;
        /** The clock on the wall beside the device. */
        local: {
            year: number;
            /** 1 to 12. */
            month: number;
            day: number;
            hour: number;
            minute: number;
            second: number;
            /** 0 is Sunday. */
            weekday: number;
            /** Offset of the time zone from UTC; positive if it is ahead. */
            offset_minutes: number;
        };
        /** Like "en" or "de-AT". */
        locale: string;
        /** Pixels: 64 and 32; 128 and 64 for a wide panel if manifest.yaml has "supports2x: true". */
        device: { width: number; height: number };
    }

    /** "#rgb", "#rrggbb" or "#rrggbbaa". */
    export type Color = string;
    export type Align = "start" | "center" | "end" | "space_between" | "space_evenly" | "space_around";
    export type Point = [number, number];

    export interface RootFields {
        child: Widget;
        /** Milliseconds of each frame; 50 by default. */
        delay?: number;
        /** Seconds after which the picture is stale. */
        max_age?: number;
        show_full_animation?: boolean;
    }
    export interface ListFields {
        children: (Widget | null)[];
        main_align?: Align;
        cross_align?: "start" | "center" | "end";
        expanded?: boolean;
    }
    export interface TextFields {
        content: string;
        font?: string;
        height?: number;
        offset?: number;
        color?: Color;
    }
    export interface WrappedTextFields {
        content: string;
        font?: string;
        height?: number;
        width?: number;
        linespacing?: number;
        color?: Color;
        align?: "left" | "center" | "right";
        wordbreak?: boolean;
    }
    export interface BoxFields {
        child?: Widget;
        width?: number;
        height?: number;
        padding?: number;
        color?: Color;
    }
    export interface PaddingFields {
        child: Widget;
        /** All sides, or left, top, right, bottom. */
        pad?: number | [number, number, number, number];
        expanded?: boolean;
        color?: Color;
    }
    export interface ImageFields {
        /** A file: PNG, GIF, JPEG, WebP or SVG. */
        src: Uint8Array | string;
        width?: number;
        height?: number;
        hold_frames?: number;
    }
    export interface EmojiFields {
        emoji: string;
        width?: number;
        height?: number;
    }
    export interface MarqueeFields {
        child: Widget;
        width?: number;
        height?: number;
        offset_start?: number;
        offset_end?: number;
        scroll_direction?: "horizontal" | "vertical";
        align?: "start" | "center" | "end";
        delay?: number;
    }
    export interface CircleFields {
        color: Color;
        diameter: number;
        child?: Widget;
    }
    export interface ArcFields {
        x: number;
        y: number;
        radius: number;
        start_angle: number;
        end_angle: number;
        color: Color;
        width: number;
        antialias?: boolean;
    }
    export interface LineFields {
        x1: number;
        y1: number;
        x2: number;
        y2: number;
        color: Color;
        width: number;
        antialias?: boolean;
    }
    export interface PolygonFields {
        vertices: Point[];
        fill_color?: Color;
        stroke_color?: Color;
        stroke_width?: number;
        antialias?: boolean;
    }
    export interface PieChartFields {
        colors: Color[];
        weights: number[];
        diameter: number;
    }
    export interface PlotFields {
        data: Point[];
        width: number;
        height: number;
        color?: Color;
        color_inverted?: Color;
        x_lim?: [number | null, number | null];
        y_lim?: [number | null, number | null];
        fill?: boolean;
        chart_type?: "line" | "scatter";
        fill_color?: Color;
        fill_color_inverted?: Color;
    }

    export function Root(fields: RootFields): Shown;
    export function Animation(fields: { children: (Widget | null)[] }): Widget;
    export function Arc(fields: ArcFields): Widget;
    export function Box(fields?: BoxFields): Widget;
    export function Circle(fields: CircleFields): Widget;
    export function Column(fields: ListFields): Widget;
    export function Emoji(fields: EmojiFields): Widget;
    export function Image(fields: ImageFields): Widget;
    export function Line(fields: LineFields): Widget;
    export function Marquee(fields: MarqueeFields): Widget;
    export function Padding(fields: PaddingFields): Widget;
    export function PieChart(fields: PieChartFields): Widget;
    export function Plot(fields: PlotFields): Widget;
    export function Polygon(fields: PolygonFields): Widget;
    export function Row(fields: ListFields): Widget;
    export function Sequence(fields: { children: (Widget | null)[] }): Widget;
    export function Stack(fields: { children: (Widget | null)[] }): Widget;
    export function Text(fields: TextFields): Widget;
    export function WrappedText(fields: WrappedTextFields): Widget;

    /** The functions above under the name that they have in Starlark. */
    export const render: {
        Root: typeof Root;
        Animation: typeof Animation;
        Arc: typeof Arc;
        Box: typeof Box;
        Circle: typeof Circle;
        Column: typeof Column;
        Emoji: typeof Emoji;
        Image: typeof Image;
        Line: typeof Line;
        Marquee: typeof Marquee;
        Padding: typeof Padding;
        PieChart: typeof PieChart;
        Plot: typeof Plot;
        Polygon: typeof Polygon;
        Row: typeof Row;
        Sequence: typeof Sequence;
        Stack: typeof Stack;
        Text: typeof Text;
        WrappedText: typeof WrappedText;
    };

    export interface Transform {
        readonly fields: object;
    }
    export interface Keyframe {
        readonly fields: object;
    }
    export interface Origin {
        readonly fields: object;
    }
    /** "cubic-bezier(a, b, c, d)", too. */
    export type Curve = "linear" | "ease_in" | "ease_out" | "ease_in_out" | (string & {});
    export const animation: {
        AnimatedPositioned(fields: {
            child: Widget;
            duration: number;
            curve: Curve;
            x_start?: number;
            x_end?: number;
            y_start?: number;
            y_end?: number;
            delay?: number;
            hold?: number;
        }): Widget;
        Transformation(fields: {
            child: Widget;
            keyframes: Keyframe[];
            duration: number;
            delay?: number;
            width?: number;
            height?: number;
            origin?: Origin;
            direction?: "normal" | "reverse" | "alternate" | "alternate-reverse";
            fill_mode?: "forwards" | "backwards";
            rounding?: "round" | "floor" | "ceil" | "none";
            wait_for_child?: boolean;
        }): Widget;
        /** percentage is 0 to 1. */
        Keyframe(fields: { percentage: number; transforms: Transform[]; curve?: Curve }): Keyframe;
        Origin(fields: { x: number; y: number }): Origin;
        Translate(fields: { x: number; y: number }): Transform;
        Rotate(fields: { angle: number }): Transform;
        Scale(fields: { x: number; y: number }): Transform;
        Shear(fields: { x_angle?: number; y_angle?: number }): Transform;
    };

    export const filter: {
        Blur(fields: { child: Widget; radius: number }): Widget;
        Brightness(fields: { child: Widget; change: number }): Widget;
        Contrast(fields: { child: Widget; factor: number }): Widget;
        EdgeDetection(fields: { child: Widget; radius: number }): Widget;
        Emboss(fields: { child: Widget }): Widget;
        FlipHorizontal(fields: { child: Widget }): Widget;
        FlipVertical(fields: { child: Widget }): Widget;
        Gamma(fields: { child: Widget; gamma: number }): Widget;
        Grayscale(fields: { child: Widget }): Widget;
        Hue(fields: { child: Widget; change: number }): Widget;
        Invert(fields: { child: Widget }): Widget;
        Rotate(fields: { child: Widget; angle: number }): Widget;
        Saturation(fields: { child: Widget; factor: number }): Widget;
        Sepia(fields: { child: Widget }): Widget;
        Sharpen(fields: { child: Widget }): Widget;
        Shear(fields: { child: Widget; x_angle?: number; y_angle?: number }): Widget;
        Threshold(fields: { child: Widget; level: number }): Widget;
    };

    /** A field of the form in which a device's owner sets the app up. */
    export interface Field {
        readonly fields: object;
    }
    export interface Option {
        readonly fields: object;
    }
    export interface Schema {
        readonly fields: object;
    }
    /** Argument of a handler: the settings that were made so far. */
    export type Config = Record<string, string | undefined>;
    /** Finds what may be chosen, for what was typed, or for a place (JSON with lat, lng, locality, timezone). */
    export type Finder = (asked: string, config: Config) => Option[] | Promise<Option[]>;
    /** Makes further fields, for the value of another one. */
    export type Maker = (value: string, config: Config) => Field[] | Schema | Promise<Field[] | Schema>;
    interface Named {
        id: string;
        name: string;
        desc: string;
        icon: string;
    }
    /** Makes the fields for "export const schema", which is a list of fields, or a Schema. */
    export const form: {
        Schema(fields: { version: "1"; fields: Field[] }): Schema;
        Color(fields: Named & { default: Color; palette?: Color[] }): Field;
        DateTime(fields: Named): Field;
        Dropdown(fields: Named & { default: string; options: Option[] }): Field;
        /** source is the ID of the field for whose value more fields are made. */
        Generated(fields: { id: string; source: string; handler: Maker }): Field;
        Location(fields: Named): Field;
        LocationBased(fields: Named & { handler: Finder }): Field;
        Option(fields: { display: string; value: string }): Option;
        PhotoSelect(fields: Named): Field;
        Text(fields: Named & { default?: string; secret?: boolean }): Field;
        Toggle(fields: Named & { default?: boolean }): Field;
        Typeahead(fields: Named & { handler: Finder }): Field;
    };
}

/** Answer of a server. */
interface FetchResponse {
    readonly status: number;
    /** Whether status is 200 to 299. */
    readonly ok: boolean;
    /** URL after all redirects. */
    readonly url: string;
    /** Names in any case; several of one name are one, with commas. */
    readonly headers: Headers;
    text(): Promise<string>;
    json(): Promise<any>;
    bytes(): Promise<Uint8Array>;
    arrayBuffer(): Promise<ArrayBuffer>;
}
interface FetchOptions {
    /** GET by default; HEAD, POST, PUT, PATCH, DELETE, OPTIONS. */
    method?: string;
    headers?: Record<string, string> | Headers;
    /** Signal of an AbortController, or AbortSignal.timeout(). */
    signal?: AbortSignal;
    /** At most 1 MiB. */
    body?: string | ArrayBuffer | ArrayBufferView | URLSearchParams | null;
    /** Seconds to keep the answer for all users of the app. Default: the server's Cache-Control. */
    ttlSeconds?: number;
}
/**
 * Asks a server with http:// or https://, at most 20 times in a render, several at once if you like.
 * An answer has 2 MiB at most and comes within 5 s. The time of waiting counts as the app's.
 * The promise is rejected, with words that say why, where there is no answer; a status like 404 is one.
 */
declare function fetch(url: string | URL, options?: FetchOptions): Promise<FetchResponse>;

declare class Headers implements Iterable<[string, string]> {
    constructor(init?: Record<string, string> | Iterable<readonly [string, string]>);
    append(name: string, value: string): void;
    delete(name: string): void;
    get(name: string): string | null;
    has(name: string): boolean;
    set(name: string, value: string): void;
    /** Fields Set-Cookie, one by one. An answer has none: the server does not keep its cookies. */
    getSetCookie(): string[];
    forEach(each: (value: string, name: string) => void): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
}
/** Error that atob(), btoa(), structuredClone() and an AbortSignal throw. */
declare class DOMException extends Error {
    constructor(message?: string, name?: string);
    readonly code: number;
}
declare class AbortSignal {
    private constructor();
    static abort(reason?: unknown): AbortSignal;
    static any(signals: Iterable<AbortSignal>): AbortSignal;
    static timeout(milliseconds: number): AbortSignal;
    onabort: ((event: { type: "abort"; target: AbortSignal }) => void) | null;
    readonly aborted: boolean;
    readonly reason: any;
    addEventListener(type: "abort", run: () => void): void;
    removeEventListener(type: "abort", run: () => void): void;
    throwIfAborted(): void;
}
declare class AbortController {
    readonly signal: AbortSignal;
    abort(reason?: unknown): void;
}

/** An address. Names of hosts are ASCII. */
declare class URL {
    constructor(address: string | URL, base?: string | URL);
    static canParse(address: string, base?: string | URL): boolean;
    static parse(address: string, base?: string | URL): URL | null;
    hash: string;
    host: string;
    hostname: string;
    href: string;
    readonly origin: string;
    password: string;
    pathname: string;
    port: string;
    protocol: string;
    search: string;
    readonly searchParams: URLSearchParams;
    username: string;
    toString(): string;
    toJSON(): string;
}
declare class URLSearchParams implements Iterable<[string, string]> {
    constructor(init?: string | Record<string, string> | Iterable<readonly [string, string]>);
    readonly size: number;
    append(name: string, value: string): void;
    delete(name: string, value?: string): void;
    get(name: string): string | null;
    getAll(name: string): string[];
    has(name: string, value?: string): boolean;
    set(name: string, value: string): void;
    sort(): void;
    forEach(each: (value: string, name: string) => void): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    toString(): string;
    [Symbol.iterator](): IterableIterator<[string, string]>;
}

/** Text to UTF-8 and back. */
declare class TextEncoder {
    readonly encoding: string;
    encode(text?: string): Uint8Array;
    encodeInto(text: string, to: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
    constructor(label?: "utf-8", options?: { fatal?: boolean; ignoreBOM?: boolean });
    readonly encoding: string;
    /** stream: true, if the last character may end in the next bytes. */
    decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}

/** A deep copy. */
declare function structuredClone<T>(value: T): T;
/**
 * While fetch() waits, timers count real time. Otherwise the clock stands still: what is set runs in its order, when
 * nothing else is left to do.
 */
declare function setTimeout<A extends unknown[]>(run: (...given: A) => void, milliseconds?: number, ...given: A): number;
declare function clearTimeout(timer: number | undefined): void;
/** Runs before anything that waits. */
declare function queueMicrotask(run: () => void): void;
/** Base64 of text whose characters are bytes, and back. */
declare function btoa(text: string): string;
declare function atob(text: string): string;
/** Random numbers, from the seed of the render. */
declare const crypto: {
    getRandomValues<T extends ArrayBufferView>(array: T): T;
    randomUUID(): string;
};

/** Files of the app: bytes, and what is in JSON. */
declare module "*.json" {
    const value: any;
    export default value;
}
declare module "*.png" {
    const bytes: Uint8Array;
    export default bytes;
}
declare module "*.gif" {
    const bytes: Uint8Array;
    export default bytes;
}
declare module "*.webp" {
    const bytes: Uint8Array;
    export default bytes;
}
declare module "*.jpg" {
    const bytes: Uint8Array;
    export default bytes;
}
declare module "*.svg" {
    const bytes: Uint8Array;
    export default bytes;
}
declare module "*.txt" {
    const bytes: Uint8Array;
    export default bytes;
}

/** Kept out of the picture: 50 lines or 8 KiB at most. */
declare function print(...values: unknown[]): void;
declare const console: {
    log(...values: unknown[]): void;
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
    debug(...values: unknown[]): void;
};
