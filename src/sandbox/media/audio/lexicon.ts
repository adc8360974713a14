import type { PhonemeName } from './phonemes';

/**
 * Words so frequent that the rules' mistakes would be heard in each sentence. Each entry is the
 * word and its sounds.
 */
export const WORDS: ReadonlyMap<string, readonly PhonemeName[]> = new Map(
	readTable(`
	a AH; the DH AH; of AH V; to T UW; do D UW; you Y UW; i AY; is IH Z; was W AA Z;
	are AA R; have HH AE V; one W AH N; two T UW; who HH UW; what W AH T; there DH EH R;
	where W EH R; were W ER; your Y AO R; be B IY; he HH IY; she SH IY; we W IY; me M IY;
	my M AY; by B AY; hello HH EH L OW; said S EH D; some S AH M; come K AH M; from F R AH M;
	has HH AE Z; his HH IH Z; world W ER L D; love L AH V; how HH AW; now N AW;
	through TH R UW; every EH V R IY; people P IY P AH L; move M UW V; image IH M AH D ZH;
	music M Y UW Z IH K; video V IH D IY OW; media M IY D IY AH; as AE Z; this DH IH S;
	that DH AE T; with W IH DH; welcome W EH L K AH M;
	`),
);

export const DIGITS: ReadonlyArray<readonly PhonemeName[]> = readTable(`
	0 Z IH R OW; 1 W AH N; 2 T UW; 3 TH R IY; 4 F AO R; 5 F AY V; 6 S IH K S; 7 S EH V AH N;
	8 EY T; 9 N AY N;
`).map(([, sounds]) => sounds);

/**
 * English spelling, as regular expressions: the first that matches at a place wins. What is in a
 * lookaround is context only; a rule without sounds is for silent letters.
 */
export const RULES: ReadonlyArray<readonly [RegExp, readonly PhonemeName[]]> = readTable(String.raw`
	a(?=tion) EY; tion|sion SH AH N; ture T SH ER; ough AO; augh AO; eigh EY; igh AY;
	tch T SH; dge D ZH; sch S K; ph F; sh SH; ch T SH; th(?=e)|(?<=e)th DH; th TH; ^wh W;
	^kn N; ^wr R; ck K; ng NG; n(?=k) NG; qu K W; gh ; mb$ M; ea(?=th|d$) EH;
	ee|ea|ie(?=.) IY; ie$ AY; ai|ay|ei|ey(?=.) EY; ey$ IY; oo UW; ou|ow(?=[nl]) AW; ow OW;
	oa|oe OW; oi|oy OY; au|aw AO; eu|ew|ue UW; ar(?=[aeiou]) EH R; ar AA R; or AO R;
	(?:er|ir|ur)(?![aeiou]) ER; all AO L; a(?=[^aeiouy]e) EY; i(?=[^aeiouy]e) AY;
	o(?=[^aeiouyx]e) OW; u(?=[^aeiouy]e) UW; e(?=[^aeiouy]e$) IY; i(?=nd|ld) AY;
	o(?=ld|ll) OW; (?<=[aeiou].*[^aeiou])es$ IH Z; (?<=[aeiouy].*[^aeiou])e$ ;
	(?<=[td])ed$ IH D; (?<=.[^aeioutd])ed$ D; le$ AH L; (?<=[aeiouy].*)y$ IY; y$ AY; ^y Y;
	y IH; ^x Z; x K S; c(?=[eiy]) S; g(?=[eiy].) D ZH; j D ZH; s$(?<=[aeioubdglmnrvwy]s) Z;
	(?<=[aeiou])s(?=[aeiou]) Z; o$ OW; a$ AH; (.)(?=\1) ; a AE; b B; c K; d D; e EH; f F;
	g G; h HH; i IH; k K; l L; m M; n N; o AA; p P; r R; s S; t T; u AH; v V; w W; z Z;
`).map(([pattern, sounds]) => [new RegExp(pattern, 'y'), sounds] as const);

/** Entries of a key and the names of sounds, apart by semicolons. */
function readTable(text: string): Array<[key: string, sounds: PhonemeName[]]> {
	return text
		.split(';')
		.map((entry) => entry.trim().split(/ +/))
		.filter(([key]) => key !== '')
		.map(([key = '', ...sounds]) => [key, sounds as PhonemeName[]]);
}
