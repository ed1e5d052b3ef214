import { options } from "preact";
import { base } from "./place";

/**
 * Links are written as paths below the base, such as "devices/new". The document has no <base> that would make
 * addresses of them: the policy of its content forbids one, as one that somebody else brings in would redirect
 * all of them. So it is done where they are made.
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
