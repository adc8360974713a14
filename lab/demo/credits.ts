import { SandboxAdmin, keyRing } from '../sandbox/admin';
import type { SandboxAddress } from '../sandbox/start';
import type { MadeFile } from './media';

/** What a generation cost, as text for the table. */
export type CreditsOf = (file: MadeFile) => string;

/** The real service shows what a generation has reserved; what it spent is not shown. */
export const estimated: CreditsOf = ({ estimatedCredits }) =>
	estimatedCredits === undefined ? '?' : `≤ ${estimatedCredits}`;

/** The sandbox keeps a ledger of what was really spent. */
export async function spentInSandbox(sandbox: SandboxAddress): Promise<CreditsOf> {
	const { workspace } = keyRing(sandbox).full;
	const { lines } = await new SandboxAdmin(sandbox.adminUrl).ledger(workspace);
	return ({ generation }) => {
		const spent = lines.filter(
			({ resource, movement }) => resource === generation && ['spend', 'charge'].includes(movement),
		);
		return String(spent.reduce((sum, { amount }) => sum + amount, 0));
	};
}
