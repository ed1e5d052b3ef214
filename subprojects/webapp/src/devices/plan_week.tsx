import type { JSX } from "preact";
import { localNow, weekOf, type Plan, type Span } from "./plan";
import { longDay, shortDay, WEEKDAYS } from "./schedule";
import type { Device } from "./store";

const HOURS = [0, 6, 12, 18, 24];

function Day({ spans, now }: { spans: readonly Span[]; now: number | undefined }): JSX.Element {
	return (
		<svg class="plan-day" viewBox="0 0 1440 24" preserveAspectRatio="none" aria-hidden="true">
			{spans.map(({ from, to, brightness, isSpecial }) => (
				<g key={from}>
					{brightness > 0 && (
						<rect
							class="plan-lit"
							x={from}
							width={to - from}
							height={24}
							fill-opacity={0.25 + (0.75 * brightness) / 100}
						/>
					)}
					{isSpecial && <rect class="plan-special" x={from} y={19} width={to - from} height={5} />}
				</g>
			))}
			{now !== undefined && <rect class="plan-now" x={now - 3} width={6} height={24} />}
		</svg>
	);
}

/** The week of a plan: a bar for each day, amber while the panel is lit, black while it is dark. */
export function PlanWeek({ device, plan }: { device: Device; plan: Plan }): JSX.Element {
	const now = localNow(device.timezone, Date.now());
	const week = weekOf(device, plan);
	const hasSpecial = week.some((spans) => spans.some(({ isSpecial }) => isSpecial));
	return (
		<figure class="plan-week">
			{week.map((spans, day) => (
				<div key={day} class="plan-row">
					<span aria-hidden="true">{shortDay(WEEKDAYS[day] ?? "monday")}</span>
					<span class="only-read">
						{longDay(WEEKDAYS[day] ?? "monday")}:{" "}
						{spans.some(({ brightness }) => brightness === 0) ? "dark at times" : "never dark"}
					</span>
					<Day spans={spans} now={day === now.day ? now.minute : undefined} />
				</div>
			))}
			<div class="plan-row" aria-hidden="true">
				<span />
				<div class="plan-hours">
					{HOURS.map((hour) => (
						<span key={hour}>{hour}</span>
					))}
				</div>
			</div>
			<figcaption class="quiet">
				Amber while the panel is lit, paler if it is dimmed; black while it is dark.
				{hasSpecial && " The line below: colours, an entry or seconds of a window."}
			</figcaption>
		</figure>
	);
}
