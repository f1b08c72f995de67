/**
 * The object key of a new file: `exp-15/<project>/files/2026/07/16/<id>.<name>`. Of a sliced file it is the prefix of
 * the slices and of the manifest.
 */
export const fileKey = (projectId: number, id: number, name: string, created: Date): string =>
  `exp-15/${projectId}/files/${created.toISOString().slice(0, 10).replaceAll('-', '/')}/${id}.${webalize(name)}`

const MAX_LENGTH = 120

/** A name in letters, digits, dots, dashes and underscores; accents dropped, the end kept when it is too long. */
export const webalize = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replaceAll(/^[._]+|_+$/g, '')
    .slice(-MAX_LENGTH) || 'file'
