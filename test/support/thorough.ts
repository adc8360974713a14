/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */

/**
 * How many random cases a test goes through: all of them before a release, which sets TEST_THOROUGH,
 * and a tenth where somebody waits for it.
 */
export const cases = (all: number): number =>
	process.env.TEST_THOROUGH ? all : Math.ceil(all / 10);
