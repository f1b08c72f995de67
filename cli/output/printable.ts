/** Data may hold what moves a terminal's cursor or rings its bell: control characters become visible signs. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are replaced
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, character => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
  })
