/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Message {
	reply_markup?: { inline_keyboard?: Array<Array<{ text: string; url: string }>> };
}

/** So much of Telegram's bot API as a request for approval needs: a person who presses a button. */
export class Telegram {
	/** How often a person was asked. */
	asked = 0;

	/** What the text of the button contains that is pressed. */
	press: 'Approve' | 'Decline' | 'Disapprove' = 'Approve';

	private constructor(
		readonly baseUrl: string,
		readonly close: () => Promise<void>,
	) {}

	static async start(): Promise<Telegram> {
		const app = express();
		app.use(express.json());
		const server = app.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const telegram = new Telegram(`http://127.0.0.1:${port}`, async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		});
		app.use((request, response) => {
			response.json({ ok: true, result: {} });
			if (request.path.endsWith('/sendMessage')) void telegram.answer(request.body as Message);
		});
		return telegram;
	}

	private async answer({ reply_markup: markup }: Message): Promise<void> {
		this.asked += 1;
		const buttons = (markup?.inline_keyboard ?? []).flat();
		const button = buttons.find(({ text }) => text.includes(this.press));
		if (!button) throw new Error(`There is no button ${this.press}: ${JSON.stringify(buttons)}`);
		const url = button.url.replace('//localhost:', '//127.0.0.1:');
		// n8n refuses until it has saved the waiting execution, and answers programs that preview links
		// with nothing.
		for (let tries = 0; tries < 100; tries += 1) {
			const pressed = await fetch(url, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
			if (pressed.ok) return;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	}
}
