import type { Clock } from '../state/clock';
import type { Settings } from '../state/settings';
import { ApiError } from '../errors';

/** A service minute. */
const WINDOW_SECONDS = 60;

interface Window {
	/** Instants of the requests let through, oldest first (sliding). */
	passed: number[];
	/** Number of the window, and how many it let through (fixed). */
	index: number;
	count: number;
	/** Tokens left and when they were counted (bucket). */
	tokens: number;
	countedAt: number;
}

interface Verdict {
	pass: boolean;
	remaining: number;
	/** Milliseconds until one more request passes. */
	wait: number;
}

/**
 * Requests a minute and workspace; what is refused does not count. Open point 19: how the service
 * limits is not shown, so three kinds can be chosen.
 */
export class RateLimiter {
	private readonly windows = new Map<string, Window>();

	constructor(private readonly clock: Clock) {}

	/** Lets a request through or throws 429. Returns the values of the RateLimit headers. */
	pass(workspace: string, settings: Settings): { limit: number; remaining: number; reset: number } {
		const limit = settings.requestsPerMinute;
		const verdict = this[settings.rateLimiter](this.window(workspace, limit), limit);
		const reset = Math.ceil(verdict.wait / 1000);
		if (verdict.pass) return { limit, remaining: verdict.remaining, reset };
		const message = `This workspace has used its ${limit} requests a minute.`;
		throw new ApiError(429, 'rate_limit', message, undefined, verdict.wait);
	}

	private sliding(window: Window, limit: number): Verdict {
		const now = this.clock.now();
		const length = this.clock.milliseconds(WINDOW_SECONDS);
		const inside = window.passed.findIndex((instant) => instant > now - length);
		window.passed.splice(0, inside < 0 ? window.passed.length : inside);
		const pass = window.passed.length < limit;
		if (pass) window.passed.push(now);
		const [oldest = now] = window.passed;
		const wait = window.passed.length < limit ? 0 : oldest + length - now;
		return { pass, remaining: Math.max(0, limit - window.passed.length), wait };
	}

	private fixed(window: Window, limit: number): Verdict {
		const now = this.clock.now();
		const length = this.clock.milliseconds(WINDOW_SECONDS);
		const index = Math.floor(now / length);
		if (index !== window.index) Object.assign(window, { index, count: 0 });
		const pass = window.count < limit;
		if (pass) window.count += 1;
		const wait = window.count < limit ? 0 : (index + 1) * length - now;
		return { pass, remaining: Math.max(0, limit - window.count), wait };
	}

	private token_bucket(window: Window, limit: number): Verdict {
		const now = this.clock.now();
		const each = this.clock.milliseconds(WINDOW_SECONDS) / limit;
		window.tokens = Math.min(limit, window.tokens + (now - window.countedAt) / each);
		window.countedAt = now;
		const pass = window.tokens >= 1;
		if (pass) window.tokens -= 1;
		const wait = window.tokens >= 1 ? 0 : (1 - window.tokens) * each;
		return { pass, remaining: Math.floor(window.tokens), wait };
	}

	private window(workspace: string, limit: number): Window {
		const known = this.windows.get(workspace);
		if (known) return known;
		const now = this.clock.now();
		const window = { passed: [], index: -1, count: 0, tokens: limit, countedAt: now };
		this.windows.set(workspace, window);
		return window;
	}
}
