import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, Problem, put, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { Button } from "../components/button";
import { confirm } from "../components/dialog";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { toast } from "../components/toast";
import { When } from "../components/when";

type Connection = Schemas["MqttConnection"];

function State({ connection }: { connection: Connection }): JSX.Element {
	const { url, state, since, error } = connection;
	const at = since === null ? null : <When at={since} />;
	if (state === "connected")
		return (
			<p class="words">
				Connected to <strong>{url}</strong> since {at}.
			</p>
		);
	if (state === "failed")
		return (
			<p class="words">
				Not connected to <strong>{url}</strong> since {at}: {error}. The server keeps trying.
			</p>
		);
	return (
		<p class="words">
			<strong>{url}</strong> is not connected yet.
		</p>
	);
}

async function end(mqtt: Resource<Connection>): Promise<void> {
	const isSure = await confirm({
		title: "Remove the MQTT connection?",
		text: "Your panels disappear from the broker and from Home Assistant.",
		action: "Remove",
	});
	if (!isSure) return;
	try {
		await remove("/web/account/mqtt");
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await mqtt.refresh();
}

function Change({
	mqtt,
	connection,
}: {
	mqtt: Resource<Connection>;
	connection: Connection;
}): JSX.Element {
	const [url, setUrl] = useState(connection.url ?? "");
	const [username, setUsername] = useState(connection.username ?? "");
	const [password, setPassword] = useState("");
	const submit = async () => {
		const wish = { url, ...(username && { username }), ...(password && { password }) };
		mqtt.set(await put("/web/account/mqtt", wish));
		setPassword("");
	};
	return (
		<Form action="Connect" kind="plain" onSubmit={submit} names={["url", "username", "password"]}>
			{(faults) => (
				<>
					<Field
						label="Broker"
						name="url"
						value={url}
						onInput={setUrl}
						fault={faults.get("url")}
						asker={url === connection.url ? undefined : "account"}
						help="mqtt://HOST, or mqtts://HOST with TLS. You can add :PORT."
						maxLength={300}
						isRequired
						isVerbatim
					/>
					<Field
						label="User name"
						name="username"
						value={username}
						onInput={setUsername}
						fault={faults.get("username")}
						autoComplete="off"
						maxLength={256}
						isVerbatim
					/>
					<Field
						label="Broker password"
						name="password"
						type="password"
						value={password}
						onInput={setPassword}
						fault={faults.get("password")}
						help="Stored encrypted and never shown again. Enter it again with each change."
						autoComplete="off"
						isVerbatim
					/>
				</>
			)}
		</Form>
	);
}

/** The account's MQTT broker, where Home Assistant finds its panels. */
export function Mqtt(): JSX.Element | null {
	const mqtt = useResource(() => get("/web/account/mqtt"));
	const connection = mqtt.value.value;
	if (!connection) return null;
	return (
		<section class="stack">
			<h2>MQTT</h2>
			<p class="words">
				Home Assistant finds and controls your panels through its MQTT broker. The broker needs a
				public address, or a local one that the operator of this server allows.
			</p>
			{connection.url !== null && <State connection={connection} />}
			{connection.isOfInstance ? (
				<p class="words">The connection is set by this server's option --mqtt.</p>
			) : (
				<div class="form-width stack">
					<Change mqtt={mqtt} connection={connection} />
					{connection.url !== null && (
						<div class="row">
							<Button onClick={() => void end(mqtt)}>Remove the connection</Button>
						</div>
					)}
				</div>
			)}
		</section>
	);
}
