import type { Operation } from '../http/operation';
import type { Service } from '../service';

/** Open point 14: the fields of the balance are not shown. */
export function credits(operation: Operation, { ledger }: Service): void {
	operation('getCredits', {}, ({ workspace }) => {
		const { available, reserved, spent } = ledger.balance(workspace.id);
		const balance = available + reserved;
		return { status: 200, body: { object: 'credits', balance, available, reserved, spent } };
	});
}
