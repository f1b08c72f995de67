import { expect, it } from 'vitest'
import { maskBody } from '#lib/extractor/run/preview/preview-extraction.ts'

const mask = (text: string): string => text.replaceAll('4711', '***')

it.each([
  ['{"id":4711,"name":"a 4711"}', '{"id":"***","name":"a ***"}'],
  ['id=4711', 'id=***'],
  ['{"id":1}', '{"id":1}'],
])('%s is shown as %s: JSON stays JSON', (body, shown) => {
  expect(maskBody(Buffer.from(body), mask).toString()).toBe(shown)
})
