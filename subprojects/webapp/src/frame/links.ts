import { options } from "preact";
import { base } from "./place";

/**
 * Links are written as paths below the base, such as "devices/new". The document has no <base> that
 * would resolve them: the content security policy forbids it, since an injected one would redirect
 * all links. So links are resolved when they are made.
 */
export function startLinks(): void {
	const before = options.vnode?.bind(options);
	options.vnode = (vnode) => {
		const props = vnode.props as { href?: unknown };
		if (vnode.type === "a" && typeof props.href === "string")
			props.href = new URL(props.href, base).href;
		before?.(vnode);
	};
}
