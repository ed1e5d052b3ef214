import { computed, signal } from "@preact/signals";

export interface Script {
	scriptLanguage: "STARLARK" | "TYPESCRIPT";
	scriptContent: string;
}

/** Store of a draft, on the server. Throws the errors that save() is to report. */
export interface DraftStore {
	load: () => Promise<Script & { revision: number }>;
	/** revision: that of the text that was changed. */
	save: (script: Script, revision: number) => Promise<{ revision: number }>;
	/** Whether an error means that it was changed elsewhere. */
	isConflict: (error: unknown) => boolean;
	wordsOf: (error: unknown) => string;
}

export type DraftState = "loading" | "saved" | "changed" | "saving" | "conflict" | "failed";

const PAUSE_MS = 800;

/**
 * A draft that is saved when its author pauses, one save at a time:
 *
 *   loading --> saved <--> changed --> saving --> saved
 *                                        |--> failed     said, and tried again when the server is back
 *                                        `--> conflict   until the author says which one is to stay
 */
export class Draft {
	readonly script = signal<Script | undefined>(undefined);
	readonly state = signal<DraftState>("loading");
	readonly words = signal("");
	/** Whether the text here is not on the server yet. */
	readonly isUnsaved = computed(() => !["loading", "saved"].includes(this.state.value));
	/** No draft was ever saved. */
	readonly isNew = signal(false);
	/** Increases when the script is replaced by another one. */
	readonly epoch = signal(0);
	private revision = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private saving: Promise<void> | undefined;

	constructor(private readonly store: DraftStore) {}

	/** Loads the server's draft in place of the text here. */
	async open(): Promise<void> {
		clearTimeout(this.timer);
		try {
			const { revision, scriptLanguage, scriptContent } = await this.store.load();
			const script = { scriptLanguage, scriptContent };
			this.revision = revision;
			this.isNew.value = revision === 0;
			if (JSON.stringify(script) !== JSON.stringify(this.script.value)) {
				this.script.value = script;
				this.epoch.value += 1;
			}
			this.state.value = "saved";
			this.words.value = "";
		} catch (error) {
			this.words.value = this.store.wordsOf(error);
		}
	}

	/**
	 * Handles the event that a draft was saved. told: the last six digits of its revision. Loads a
	 * draft that was saved elsewhere, unless there are unsaved changes here.
	 */
	async look(told: number): Promise<void> {
		if (this.state.value === "saved" && told !== this.revision % 1_000_000) await this.open();
	}

	change(part: Partial<Script>): void {
		if (!this.script.value) return;
		this.script.value = { ...this.script.value, ...part };
		if (this.state.value === "conflict") return;
		if (this.state.value !== "saving") this.state.value = "changed";
		clearTimeout(this.timer);
		this.timer = setTimeout(() => void this.save(), PAUSE_MS);
	}

	/** Replaces the text here by another script. */
	replace(script: Script): void {
		this.change(script);
		this.epoch.value += 1;
	}

	/** Saves the text now; returns when it is saved, or cannot be saved. */
	async save(): Promise<void> {
		clearTimeout(this.timer);
		if (this.saving) await this.saving;
		const script = this.script.value;
		if (!script || !["changed", "failed"].includes(this.state.value)) return;
		this.saving = this.saveOnce(script);
		await this.saving;
		this.saving = undefined;
		// Save the text that was typed meanwhile.
		if (this.state.value === "changed") await this.save();
	}

	private async saveOnce(script: Script): Promise<void> {
		this.state.value = "saving";
		try {
			const { revision } = await this.store.save(script, this.revision);
			this.revision = revision;
			this.isNew.value = false;
			this.words.value = "";
			this.state.value = this.script.value === script ? "saved" : "changed";
		} catch (error) {
			this.words.value = this.store.wordsOf(error);
			this.state.value = this.store.isConflict(error) ? "conflict" : "failed";
		}
	}

	/** After a conflict, replaces the text that was saved elsewhere by the text here. */
	async keepMine(): Promise<void> {
		try {
			this.revision = (await this.store.load()).revision;
			this.state.value = "changed";
			await this.save();
		} catch (error) {
			this.words.value = this.store.wordsOf(error);
		}
	}

	end(): void {
		clearTimeout(this.timer);
	}
}
