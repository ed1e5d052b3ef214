import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, Problem, type Schemas } from "../api/client";
import { setAccount } from "../api/session";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { When } from "../components/when";
import { Gate } from "../frame/gate";
import { Heading } from "../frame/page";
import { go, takeFragment } from "../frame/place";
import { NewAccountFields, PASSWORD_HELP, type NewAccount } from "./new_account";

type Link = Schemas["Link"];

const TITLES: Record<Link["kind"], string> = {
	first: "Create the first account",
	invitation: "Accept the invitation",
	password: "Choose a password",
};

/** The token is stored in the tab, so that the page can be reloaded. */
const STORED = "displayd.link";

function takeToken(): string {
	const token = takeFragment();
	if (token !== "") sessionStorage.setItem(STORED, token);
	return token || (sessionStorage.getItem(STORED) ?? "");
}

/** next: the page that follows. */
async function use(
	token: string,
	more: Omit<Schemas["LinkUse"], "token">,
	next = "",
): Promise<void> {
	setAccount(await post("/web/links/use", { token, ...more }));
	sessionStorage.removeItem(STORED);
	go(next, { replaces: true });
}

function NewAccountForm({ token, link }: { token: string; link: Link }): JSX.Element {
	const [account, setFields] = useState<NewAccount>({
		email: link.email ?? "",
		name: "",
		password: "",
	});
	const submit = () => {
		const { name, password } = account;
		return use(token, link.email === null ? account : { name, password });
	};
	return (
		<Form action="Create account" onSubmit={submit} names={["email", "name", "password"]}>
			{(faults) => (
				<NewAccountFields
					value={account}
					onChange={setFields}
					faults={faults}
					isForEmail={link.email !== null}
				/>
			)}
		</Form>
	);
}

function NewPasswordForm({ token, link }: { token: string; link: Link }): JSX.Element {
	const [password, setPassword] = useState("");
	return (
		<Form
			action="Set password"
			onSubmit={() => use(token, { password }, "account/access")}
			names={["password"]}
		>
			{(faults) => (
				<>
					<p>
						For <strong>{link.email}</strong>. Its sessions end.
					</p>
					<input
						type="email"
						class="only-read"
						autocomplete="username"
						value={link.email ?? ""}
						readOnly
						tabIndex={-1}
						aria-hidden="true"
					/>
					<Field
						label="New password"
						name="password"
						type="password"
						value={password}
						onInput={setPassword}
						fault={faults.get("password")}
						autoComplete="new-password"
						help={PASSWORD_HELP}
						isRequired
						isVerbatim
					/>
				</>
			)}
		</Form>
	);
}

function Known({ token, link }: { token: string; link: Link }): JSX.Element {
	return (
		<>
			<Heading title={TITLES[link.kind]} />
			{link.kind === "first" && (
				<p>
					This account is the administrator of the server. It can invite others and make them
					administrators.
				</p>
			)}
			{link.kind === "password" ? (
				<NewPasswordForm token={token} link={link} />
			) : (
				<NewAccountForm token={token} link={link} />
			)}
			<p class="quiet">
				This link can be used once. It expires <When at={link.expiresAt} />.
			</p>
		</>
	);
}

function Unknown({ problem }: { problem: Problem }): JSX.Element {
	const isGone = problem.status === 404 || problem.status === 400;
	return (
		<>
			<Heading title={isGone ? "This link no longer works" : "The link could not be checked"} />
			<p>
				{isGone
					? "It was already used or has expired. Ask the sender for a new one."
					: problem.message}
			</p>
			<p>
				<a href="." data-page>
					Sign in
				</a>
			</p>
		</>
	);
}

/** /link#TOKEN: the first account, an invitation, or a new password. */
export function LinkPage(): JSX.Element {
	const [token] = useState(takeToken);
	const [link, setLink] = useState<Link>();
	const [problem, setProblem] = useState<Problem>();
	useEffect(() => {
		post("/web/links/look", { token: token || "-" }).then(setLink, (error: unknown) => {
			if (error instanceof Problem) setProblem(error);
		});
	}, [token]);
	return (
		<Gate isBusy={!link && !problem}>
			{link && <Known token={token} link={link} />}
			{problem && <Unknown problem={problem} />}
		</Gate>
	);
}
