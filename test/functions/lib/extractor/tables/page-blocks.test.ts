import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PageBlocks, packRows } from '#lib/extractor/tables/page-blocks.ts'

it('gives each block to one user at a time, large enough, and again what was given back', () => {
  const sizes = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 2000 }), givesBack: fc.nat(3) }))
  fc.assert(
    fc.property(sizes, steps => {
      const blocks = new PageBlocks()
      const inUse: ArrayBuffer[] = []
      for (const { bytes, givesBack } of steps) {
        const block = blocks.take(bytes)
        expect(block.byteLength).toBeGreaterThanOrEqual(bytes)
        expect(inUse).not.toContain(block)
        inUse.push(block)
        for (const used of inUse.splice(0, givesBack)) blocks.giveBack(used)
      }
    }),
  )
  const blocks = new PageBlocks()
  const block = blocks.take(1000)
  blocks.giveBack(block)
  expect(blocks.take(1001)).toBe(block) // it is larger than what was asked for
})

it('keeps few blocks, and none that is very large', () => {
  const blocks = new PageBlocks()
  blocks.giveBack(blocks.take(5 * 1024 * 1024))
  expect(blocks.take(1).byteLength).toBeLessThan(10)
  const many = Array.from({ length: 12 }, () => blocks.take(100))
  for (const block of many) blocks.giveBack(block)
  const again = Array.from({ length: 12 }, () => blocks.take(100))
  expect(again.filter(block => many.includes(block))).toHaveLength(8)
})

it('puts the rows of all tables of a page behind each other', () => {
  const tables = ['1,2\n', '', '3\n'].map((text, i) => ({
    name: `t${i}`,
    count: text.length / 2,
    itemsType: undefined,
    bytes: Buffer.from(text),
  }))
  const packed = packRows({ family: {}, begun: [], tables }, new PageBlocks())
  for (const { bytes } of tables) bytes.fill(0)
  expect(packed.tables.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['1,2\n', '', '3\n'])
  expect(packed.tables.every(({ bytes }) => bytes.buffer === packed.block)).toBe(true)
})
