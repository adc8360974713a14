/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { Locator, Page } from 'playwright-core';
import type { Ticket } from './rest';

export type { Page };

/** n8n's editor, worked as a person works it: by what is written on it, never by REST. */
export class Editor {
	constructor(
		readonly page: Page,
		readonly baseUrl: string,
	) {}

	/**
	 * With a session that there is: the page to sign in takes a processor ten seconds, and afterwards leads
	 * to another page, away from the one that was opened meanwhile.
	 */
	async signIn({ browserId, cookie }: Ticket): Promise<void> {
		const [name = '', value = ''] = cookie.split('=');
		await this.page.context().addCookies([{ name, value, url: this.baseUrl }]);
		await this.page.addInitScript(`localStorage.setItem('n8n-browserId', '${browserId}')`);
	}

	/** An empty workflow with the panel of triggers open, as the first click leads to it. */
	async newWorkflow(): Promise<void> {
		await this.goTo('/workflow/new');
		await this.page.getByTestId('canvas-add-button').click();
		await this.search.waitFor();
	}

	/** The panel of all nodes, by the plus at the edge of the canvas. */
	async openPanel(): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
		await this.search.waitFor();
	}

	private async namesIn(list: Locator): Promise<string[]> {
		return (await list.allTextContents()).map((name) => name.trim());
	}

	private onCanvas(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	private get search(): Locator {
		return this.page.getByTestId('node-creator-search-bar');
	}

	/** Names of nodes in the panel, or of actions once a node was chosen. */
	get offered(): Locator {
		return this.page.getByTestId('node-creator-item-name');
	}

	/**
	 * Types into the panel and gives the names that are found, best first; none when nothing is found
	 * for a while.
	 */
	async find(words: string): Promise<string[]> {
		// Nothing has this name: what is shown afterwards was found by the words.
		await this.search.fill('qqxxzz');
		await this.offered.first().waitFor({ state: 'detached' });
		await this.search.fill(words);
		const first = this.offered.first();
		await first.waitFor({ timeout: 10_000 }).catch(() => undefined);
		return await this.namesIn(this.offered);
	}

	async openWorkflow(id: string): Promise<void> {
		await this.goTo(`/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/**
	 * From one page of the editor to another by its own router: to load it takes a processor half a minute.
	 */
	private async goTo(path: string): Promise<void> {
		const url = `${this.baseUrl}${path}`;
		const current = this.page.url();
		const isElsewhere = current.startsWith(this.baseUrl) && !current.startsWith(url);
		if (!isElsewhere) return void (await this.page.goto(url));
		const router = "document.querySelector('#app').__vue_app__.config.globalProperties.$router";
		await this.page.evaluate(`${router}.push('${path}')`);
	}

	/** Opens the chat of the open workflow, unless the editor has remembered that it was open. */
	async openChat(): Promise<void> {
		const button = this.page.getByTestId('workflow-chat-button');
		if ((await button.innerText()).includes('Open')) await button.click();
		await this.page.getByTestId('chat-input').waitFor();
	}

	async writeInChat(text: string): Promise<void> {
		await this.page.getByTestId('chat-input').fill(text);
		await this.page.getByTestId('chat-input').press('Enter');
	}

	/** By the last button of this name. */
	async answerInChat(button: string): Promise<void> {
		await this.chat.getByRole('button', { name: button, exact: true }).last().click();
	}

	get chat(): Locator {
		return this.page.getByTestId('canvas-chat-body');
	}

	/** Opens a node of the open workflow and closes the one that is open. */
	async openNode(name: string): Promise<void> {
		if (await this.page.getByTestId('ndv-close-button').isVisible()) await this.closeNode();
		await this.onCanvas(name).dblclick();
		await this.page.getByTestId('node-parameters').waitFor();
	}

	/** Finds a node by these words and adds it by one of its actions; the node is open then. */
	async add(words: string, node: string, action: string): Promise<void> {
		await this.find(words);
		await this.offered.filter({ hasText: exactly(node) }).click();
		await this.offered.filter({ hasText: exactly(action) }).click();
		await this.page.getByTestId('node-parameters').waitFor();
	}

	/** Starts the workflow by hand: the first node that most people add. */
	async addManualTrigger(): Promise<void> {
		await this.find('manual trigger');
		await this.offered
			.getByText(/manual/i)
			.first()
			.click();
		await this.page.getByTestId('canvas-trigger-node').waitFor();
	}

	/**
	 * Fills in these fields of a new credential and nothing else, and saves it, which also tests it.
	 * Gives its name.
	 * @param wrong what is filled in and saved first, and fails the test
	 */
	async connect(
		fields: Record<string, string>,
		wrong: Array<Record<string, string>> = [],
	): Promise<string> {
		if (await this.openCredentials())
			await this.page.getByTestId('node-credentials-select-item-new').click();
		const modal = this.page.getByTestId('editCredential-modal');
		const save = async (entered: Record<string, string>) => {
			for (const [name, value] of Object.entries(entered))
				await modal.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
			await modal.getByTestId('credential-save-button').click();
		};
		const name = await modal.getByTestId('credential-name').innerText();
		for (const entered of wrong) {
			await save(entered);
			await modal.getByText('Couldn’t connect with these settings').first().waitFor();
		}
		await save(fields);
		// It closes by itself once the test has passed.
		await modal.waitFor({ state: 'detached' });
		return name.trim();
	}

	async useCredential(name: string): Promise<void> {
		await this.openCredentials();
		const items = this.page.locator('[data-test-id^="node-credentials-select-item-"]');
		await items.filter({ hasText: name }).first().click();
	}

	/**
	 * Where there are none yet a button opens the form, otherwise there is a list: whether it is a
	 * list.
	 */
	private async openCredentials(): Promise<boolean> {
		const list = this.page.getByTestId('node-credentials-select').first();
		const button = this.page.getByTestId('node-credentials-empty-state').getByRole('button');
		const way = button.or(list).first();
		await way.waitFor();
		const isList = await list.isVisible();
		await way.click();
		return isList;
	}

	/** The text that is shown in a field with a list. */
	async shown(parameter: string): Promise<string> {
		return await this.field(parameter).locator('input').first().inputValue();
	}

	/**
	 * Opens the list of a resource locator that is closed again afterwards, and gives what it offers.
	 */
	async peek(parameter: string): Promise<string[]> {
		const names = await this.listed(parameter);
		await this.page.keyboard.press('Escape');
		await this.page.getByTestId('rlc-item').first().waitFor({ state: 'hidden' });
		return names;
	}

	/** What a resource locator shows as chosen or entered. */
	async chosen(parameter: string): Promise<string> {
		return await this.field(parameter).getByTestId('rlc-input').inputValue();
	}

	/** Chooses how a resource locator is filled in, such as *By URL*, and fills it in. */
	async fillBy(parameter: string, mode: string, text: string): Promise<void> {
		await this.field(parameter).getByTestId('rlc-mode-selector').click();
		await this.page.getByRole('option', { name: mode }).filter({ visible: true }).click();
		await this.field(parameter).getByTestId('rlc-input').fill(text);
	}

	/** Whether a field can be left to an AI. */
	async hasAiButton(parameter: string): Promise<boolean> {
		// Above a field of several lines, beside any other.
		const above = `${parameter}-parameter-input-persistent-options-container`;
		const places = this.field(parameter).or(this.page.getByTestId(above));
		return (await places.getByTestId('from-ai-override-button').count()) > 0;
	}

	/** Opens the list of a resource locator and gives what it offers. */
	async listed(parameter: string): Promise<string[]> {
		await this.field(parameter).getByTestId('rlc-input').click();
		await this.page.getByTestId('rlc-item').first().waitFor();
		return await this.namesIn(this.page.getByTestId('rlc-item'));
	}

	/** Chooses from the list that is open. */
	async choose(name: RegExp): Promise<void> {
		await this.page.getByTestId('rlc-item').filter({ hasText: name }).first().click();
		await this.page.getByTestId('rlc-item').first().waitFor({ state: 'hidden' });
	}

	/** Into a field of several lines. */
	async write(parameter: string, text: string): Promise<void> {
		await this.field(parameter).locator('textarea').fill(text);
	}

	/** Chooses from a plain list. */
	async select(parameter: string, choice: string): Promise<void> {
		await this.field(parameter).click();
		await this.page.getByText(choice, { exact: true }).last().click();
	}

	/**
	 * Opens the list of a collection, the last one by default, and gives what can still be added to
	 * it.
	 */
	async addable(index = -1): Promise<string[]> {
		const lists = this.page.getByTestId('node-parameters').getByTestId('collection-parameter-add');
		await lists.filter({ visible: true }).nth(index).click();
		await this.addables.first().waitFor();
		return await this.namesIn(this.addables);
	}

	/** The same, with the list closed again. */
	async offeredIn(index: number): Promise<string[]> {
		const names = await this.addable(index);
		await this.page.keyboard.press('Escape');
		await this.addables.first().waitFor({ state: 'hidden' });
		return names;
	}

	/** Adds one of what `addable` has shown. */
	async addOption(name: string): Promise<void> {
		await this.addables.filter({ hasText: exactly(name) }).click();
	}

	private get addables(): Locator {
		return this.page.getByTestId('collection-parameter-option').filter({ visible: true });
	}

	/** What the open node marks as wrong. */
	async issues(): Promise<number> {
		return await this.page.getByTestId('node-parameters').getByTestId('parameter-issues').count();
	}

	/**
	 * @param parameter its name, with the collection in front when it is in one, such as
	 * `blocks.voice`
	 */
	private field(parameter: string): Locator {
		const [name, collection] = parameter.split('.').reverse();
		const form = this.page.getByTestId('node-parameters');
		const place = collection ? form.getByTestId(`fixed-collection-${collection}`) : form;
		return place.getByTestId(`parameter-input-${name}`);
	}

	/**
	 * Runs the open node and opens the preview of the file that it made. The panel changes to its list
	 * of files by itself, or shows the tab for it.
	 */
	async executeAndView(timeout: number): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
		const output = this.page.getByTestId('output-panel');
		const view = output.getByTestId('ndv-view-binary-data').first();
		const tab = output.getByTestId('radio-button-binary');
		await view.or(tab).first().waitFor({ timeout });
		if (!(await view.isVisible())) await tab.click();
		await view.click();
	}

	async closeNode(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.page.getByTestId('node-parameters').waitFor({ state: 'detached' });
	}
}

const exactly = (text: string) =>
	new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
