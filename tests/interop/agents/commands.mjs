// The text commands that steer a reference agent, as the README lists them.

const NUMERIC = ['stream', 'slow', 'big'];

export const SAMPLE_DATA = { key: 'value', count: 42, nested: { a: [1, 2.5, null, true, '\u00e9'] } };
export const SAMPLE_BYTES = Buffer.from(Array.from({ length: 256 }, (_, i) => i));

/** Splits a message; prose that merely begins with a numeric command's word is no command. */
export function parse(text) {
  const [, word, argument] = text.trim().match(/^(\S*)\s*([\s\S]*)$/);
  const name = word.toLowerCase();
  const isProse = NUMERIC.includes(name) && !/^[\d.\s]*$/.test(argument);
  return { name: isProse ? '' : name, argument };
}

/** The numbers in a command's argument, completed by the defaults. */
export function numbers(argument, ...defaults) {
  const given = argument.split(/\s+/).filter(Boolean).map(Number);
  return [...given, ...defaults.slice(given.length)];
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
