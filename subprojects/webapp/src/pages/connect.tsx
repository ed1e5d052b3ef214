import "../main"; // what it shares with the first script stays in that one

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { boardWords } from "../devices/boards";
import { PortalSteps } from "../devices/portal";
import { Heading } from "../frame/page";
import { base, takeFragment } from "../frame/place";
import { formatAddress, formatTold, parseTold, type Told } from "../panel/address";
import { linkUrl } from "../panel/link";

/** Kept in the tab: a phone that joins another network may load the page again. */
const STORED = "displayd.connect";

function takeTold(): Told | undefined {
	const told = parseTold(takeFragment());
	if (told) sessionStorage.setItem(STORED, formatTold(told));
	return told ?? parseTold(sessionStorage.getItem(STORED) ?? "");
}

function Steps({ told: { board, address } }: { told: Told }): JSX.Element {
	return (
		<>
			<Heading title="Connect your panel" />
			<p class="words">
				{boardWords(board)}. Copy the address before you join the panel's network: there is no
				internet in it.
			</p>
			<PortalSteps address={linkUrl(base, address, "ws").href} />
			<p>
				The page on which you scanned the code says when the panel is here. No panel yet?{" "}
				<a href={`panel#${formatAddress(address)}`}>Use this browser as the panel</a>.
			</p>
		</>
	);
}

/** /connect#BOARD/DEVICE/KEY: how a panel is connected, for a phone on which nobody is signed in. */
export function ConnectPage(): JSX.Element {
	const [told] = useState(takeTold);
	return (
		<main class="narrow stack wide">
			{told ? (
				<Steps told={told} />
			) : (
				<>
					<Heading title="Connect your panel" />
					<p class="notice">
						The address is missing. Scan the code again, on the page that shows how to connect the
						device.
					</p>
				</>
			)}
		</main>
	);
}
