import { getHeapStatistics } from 'node:v8'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { runExtraction } from '../../run-extraction.ts'

const answered = async (text: string) => {
  const body = Buffer.from(text)
  return runExtraction((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(body)
  }, {})
}
const MB = 1024 ** 2

describe('an answer that would take all memory or time ends the run with a sentence', () => {
  it.each([
    ['brackets without end', '['.repeat(5 * MB)],
    ['brackets that are closed', '['.repeat(2 * MB) + ']'.repeat(2 * MB)],
    ['objects in objects', '{"a":'.repeat(MB)],
    ['a row with very deep data', `[{"id":1,"a":${'['.repeat(MB)}${']'.repeat(MB)}}]`],
  ])('%s', async (_, text) => {
    const { error } = await answered(text)
    expect(error).toMatchObject({
      code: 'extractor.response.depth',
      message: 'The response is nested too deeply.',
    })
  })

  it.each([
    ['JSON lines', 'jsonl', 'damaged', 'line 2: The response is nested too deeply.'],
    ['packed JSON', 'json', 'depth', 'The response is nested too deeply.'],
  ])('%s are bounded alike, with the place', async (_, format, code, message) => {
    const deep = `{"id":1,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const body = gzipSync(format === 'jsonl' ? `{"id":1}\n${deep}\n` : `[${deep}]`)
    const { error } = await runExtraction(
      (_request, response) => {
        response.setHeader('content-type', 'application/octet-stream')
        response.end(body)
      },
      { config: { jobs: [{ endpoint: 'items', response: { format } }] } },
    )
    expect(error).toMatchObject({
      code: `extractor.response.${code}`,
      message: expect.stringContaining(message),
    })
  })

  it('more numbers than there is memory for', async () => {
    // Each keeps its text, which takes some 225 bytes: four in the answer are more than half of the memory at last.
    const numbers = Math.ceil(getHeapStatistics().heap_size_limit / 2 / 225)
    const { error } = await answered(`[${'1.0,'.repeat(numbers)}1]`)
    expect(error).toMatchObject({
      code: 'extractor.response.tooLarge',
      message: expect.stringContaining('more than there is memory for'),
    })
  })

  it('rows that all have keys of their own, each of which would be a column of all', async () => {
    const rows = Array.from({ length: 10_001 }, (_, row) => ({ [`key-${row}`]: row }))
    const { error } = await answered(JSON.stringify(rows))
    expect(error).toMatchObject({
      code: 'storage.maxNumberOfColumnsExceed',
      message: expect.stringContaining('more than 10000 different keys'),
    })
  })

  it('and one with data of usual depth and size does not', async () => {
    const deep = `${'['.repeat(100)}1${']'.repeat(100)}`
    expect((await answered(`[{"id":1,"a":${deep}}]`)).error).toBeUndefined()
  })
})
