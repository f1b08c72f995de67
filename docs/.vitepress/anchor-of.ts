/** The anchor that GitHub makes of a heading: letters, digits, `-` and `_`, blanks as `-`. The site has the same ones. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
