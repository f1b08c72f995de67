import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorsOf, deadReferences } from './references.ts'

describe('documents', () => {
  it('point to nothing that is not there, nor does a comment', () => {
    expect(deadReferences(join(import.meta.dirname, '../..'))).toEqual([])
  })
})

const inFolder = async (files: Record<string, string>, use: (root: string) => void): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-references-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    use(root)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

describe('deadReferences', () => {
  // Made of pieces, so that this file itself points nowhere.
  const guide = ['docs', 'guide.md'].join('/')
  const gone = ['docs', 'gone.md'].join('/')

  it.each([
    ['a document', 'README.md', `[a](${gone})`, gone],
    ['a heading', 'README.md', `[a](${guide}#no)`, `${guide}#no`],
    ['a heading of its own', 'README.md', '[a](#no)', '#no'],
    ['a path', 'README.md', '`functions/no/handler.ts`', 'functions/no/handler.ts'],
    ['a document, in code', 'functions/a.ts', `// ${gone}`, gone],
    ['a heading, in code', 'functions/a.ts', `/** See ${guide}#no. */`, `${guide}#no`],
  ])('finds %s that is not there', async (_, file, text, expected) => {
    await inFolder({ [guide]: '# Guide\n', [file]: `\n${text}\n` }, root => {
      expect(deadReferences(root)).toEqual([`${file}:2 ${expected}`])
    })
  })

  it('passes what is there, other places, and examples', async () => {
    const readme = [
      `[a](${guide}) [b](${guide}#how-it-works) [c](docs) [d](https://example.com/x.md) [e](#top)`,
      '# Top',
      '```md',
      '[f](no.md)',
      '```',
      'an example: `[g](no.md)`, `functions/<name>/handler.ts`',
    ].join('\n')
    const code = `// ${guide}#how-it-works`
    await inFolder(
      { [guide]: '## How it `works`?\n[up](../README.md)\n', 'README.md': readme, 'infra/a.ts': code },
      root => {
        expect(deadReferences(root)).toEqual([])
      },
    )
  })
})

describe('anchorsOf', () => {
  it('makes anchors as GitHub does', () => {
    const markdown =
      '# Rows, versions\n## `response.url`\n## Rows, versions\n### Für [Ärger](x.md) & more\n## snake_case'
    expect([...anchorsOf(markdown)]).toEqual([
      'rows-versions',
      'responseurl',
      'rows-versions-1',
      'für-ärger--more',
      'snake_case',
    ])
  })
})
