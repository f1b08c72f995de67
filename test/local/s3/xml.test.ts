import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildXml } from '#local/s3/xml/build-xml.ts'
import { parseXml } from '#local/s3/xml/parse-xml.ts'
import { startTestS3, type TestS3 } from '../../support/embedded-s3.ts'
import { codeOf, sendSigned } from './raw-client.ts'

const anything = z.record(z.string(), z.array(z.unknown()))
const read = (text: string, maxElements = 1_000) => parseXml(text, anything, { maxElements })
const malformed = { code: 'MalformedXML' }

describe('an XML body', () => {
  it.each<[string, string, object]>([
    ['an empty element', '<A/>', { A: [''] }],
    ['text', '<A> x </A>', { A: [' x '] }],
    ['elements in order', '<A><B>1</B><C/><B>2</B></A>', { A: [{ B: ['1', '2'], C: [''] }] }],
    ['layout', '<A>\n  <B>1</B>\n</A>\n', { A: [{ B: ['1'] }] }],
    ['a declaration and comments', '<?xml version="1.0"?><!-- > --><A>x<!-- y -->z</A>', { A: ['xz'] }],
    ['namespaces and attributes', '<A xmlns="http://x/" xsi:b = \'2\' c="1"/>', { A: [''] }],
    ['references', '<A>&lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;&#x1;</A>', { A: ['<&>"\'A😀\x01'] }],
    ['references with zeros', '<A>&#x001F;&#031;&#13;</A>', { A: ['\x1f\x1f\r'] }],
    ['control characters as they are', '<A>\x01\x1f\x7f\x85\u2028</A>', { A: ['\x01\x1f\x7f\x85\u2028'] }],
    ['text that looks like a reference', '<A>&amp;#x1;&amp;lt;</A>', { A: ['&#x1;&lt;'] }],
    ['names that objects have', '<A><__proto__>1</__proto__></A>', { A: [{ ['__proto__']: ['1'] }] }],
  ])('may hold %s', async (_what, text, expected) => {
    expect(JSON.parse(JSON.stringify(await read(text)))).toEqual(JSON.parse(JSON.stringify(expected)))
  })

  it.each([
    ['nothing', ''],
    ['no element', 'text'],
    ['two roots', '<A/><B/>'],
    ['twice the same root', '<A/><A/>'],
    ['text after the root', '<A/>x'],
    ['an open element', '<A><B></B>'],
    ['an end without a start', '</A>'],
    ['the end of another', '<A></B>'],
    ['a bracket in text', '<A>1<2</A>'],
    ['an open tag', '<A'],
    ['an open comment', '<A><!-- </A>'],
    ['an attribute without quotes', '<A b=1/>'],
    ['a document type', '<!DOCTYPE A [<!ENTITY b "c">]><A>&b;</A>'],
    ['an unknown entity', '<A>&nbsp;</A>'],
    ['no such character', '<A>&#x110000;</A>'],
    ['half a character', '<A>&#xD800;</A>'],
    ['CDATA', '<A>x<![CDATA[<&amp;>]]>y</A>'],
    ['what no text may hold', '<A>\0</A>'],
    ['a character that is none', '<A>\uffff</A>'],
    ['a nest of 3,000 elements', '<A>'.repeat(3_000) + '</A>'.repeat(3_000)],
    ['too many elements', `<A>${'<B/>'.repeat(1_000)}</A>`],
    ['a text without end', `<A>${'x'.repeat(20_000)}</A>`],
    ['a text of pieces without end', `<A>${'x<!---->'.repeat(20_000)}</A>`],
    ['brackets without end', '<'.repeat(1_000_000)],
  ])('is refused with %s', async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject(malformed)
  })

  it('may have more layout than text may have characters', async () => {
    const { A } = await read(`<A>${`\n${' '.repeat(100)}<B>1</B>`.repeat(900)}</A>`)
    expect(A).toEqual([{ B: Array.from({ length: 900 }, () => '1') }])
  })

  it('is read back as it was written', async () => {
    // Line ends are as they were, too: a key may hold them.
    const unit = fc.constantFrom(
      'a',
      '<',
      '>',
      '&',
      ';',
      '"',
      "'",
      ' ',
      '\n',
      '\u2028',
      'ü',
      '😀',
      ']]>',
      '\r',
      '\x01',
      '\x85',
    )
    const value = fc.string({ unit, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1 }), async keys => {
        const text = buildXml(
          'Delete',
          { Object: keys.map(Key => ({ Key })) },
          'http://s3.amazonaws.com/doc/2006-03-01/',
        )
        const shape = z.object({
          Delete: z.tuple([z.object({ Object: z.array(z.object({ Key: z.tuple([z.string()]) })) })]),
        })
        const parsed = await parseXml(text, shape, { maxElements: 1_000 })
        expect(parsed.Delete[0].Object.map(({ Key }) => Key[0])).toEqual(keys)
      }),
    )
  })

  it('gives a result or a refusal, whatever it holds', async () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      'A',
      '<A>',
      '</A>',
      '&',
      ';',
      '&lt;',
      '<!--',
      '-->',
      ']]>',
      '<![CDATA[',
      '"',
      '=',
      ' ',
      '<?',
      '?>',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async pieces => {
        await read(pieces.join('')).catch(error => expect(error).toMatchObject(malformed))
      }),
    )
  })

  it('does not block other requests when it is long', async () => {
    let isRead = false
    let between = 0
    const count = () => {
      between += 1
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    await read(`<A>${'<B>1</B>'.repeat(80_000)}</A>`, 80_001)
    isRead = true
    expect(between).toBeGreaterThan(50)
  })
})

describe('a request with an XML body', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3()
    await s3.s3.createBucket('box')
  })
  afterAll(() => s3.close())

  it.each([
    ['DeleteObjects', 'POST', '/box?delete'],
    ['CompleteMultipartUpload', 'POST', '/box/key?uploadId=x'],
  ])('is MalformedXML when it is nested too deeply: %s', async (_name, method, path) => {
    const body = '<A>'.repeat(3_000) + '</A>'.repeat(3_000)
    const reply = await sendSigned(s3.s3.endpoint, { method, path, body })
    expect([reply.status, codeOf(reply)]).toEqual([400, 'MalformedXML'])
  })
})
