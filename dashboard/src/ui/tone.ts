/** Colour of a word: fine, under way, at rest, needs a person. The word itself always says it too. */
export type Tone = 'good' | 'busy' | 'idle' | 'bad';
