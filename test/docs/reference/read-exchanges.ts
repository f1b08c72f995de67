import type * as z from 'zod'
import { exchange } from '../../functions/lib/extractor/samples/scripted-api.ts'

export type Exchange = z.output<typeof exchange>

const HEADER = /^([A-Za-z][\w-]*):(?: (.*))?$/

/**
 * Requests and answers as `curl -v` shows them: `>` is sent, `<` comes back, `*` is said about it.
 *
 * ```http
 * > POST /token
 * > Content-Type: application/json
 * > {"user":"ada"}
 * < 200
 * < {"token": "t1"}
 * ```
 */
export const readExchanges = (text: string): Exchange[] => {
  const blocks: string[][] = []
  for (const line of text.split('\n').filter(line => line.trim() !== '')) {
    if (/^> (GET|POST) \S+$/.test(line)) blocks.push([])
    const block = blocks.at(-1)
    if (block === undefined)
      throw new Error(`an exchange begins with "> GET <address>" or "> POST …": ${line}`)
    block.push(line)
  }
  return blocks.map(toExchange)
}

const toExchange = ([first = '', ...lines]: string[]): Exchange => {
  const unknown = lines.find(line => !/^[><*]( |$)/.test(line))
  if (unknown !== undefined) throw new Error(`a line begins with ">", "<" or "*": ${unknown}`)
  const request = partOf(lines, '>')
  const answer = lines.filter(line => line.startsWith('<')).map(line => line.slice(2))
  const [, status] = /^(\d{3})\b/.exec(answer[0] ?? '') ?? []
  const response = readPart(status === undefined ? answer : answer.slice(1))
  return exchange.parse({
    // The API listens on one port without TLS, whatever the address says
    request: first.slice(2).replace(' https://', ' http://'),
    requestHeaders: Object.fromEntries(request.headers.map(([name, value]) => [name, value ?? null])),
    ...(request.body === '' ? {} : { requestBody: jsonOrText(request.body) }),
    ...(status === undefined ? {} : { status: Number(status) }),
    responseHeaders: Object.fromEntries(response.headers.map(([name, value]) => [name, value ?? ''])),
    responseText: response.body,
    ...notes(lines),
  })
}

const partOf = (lines: string[], mark: string) =>
  readPart(lines.filter(line => line.startsWith(mark)).map(line => line.slice(2)))

/** Headers, then the body. */
const readPart = (lines: string[]): { headers: [string, string | undefined][]; body: string } => {
  const end = lines.findIndex(line => !HEADER.test(line))
  const headers = lines.slice(0, end < 0 ? lines.length : end)
  return {
    headers: headers.map(line => {
      const [, name = '', value] = HEADER.exec(line) ?? []
      return [name, value]
    }),
    body: end < 0 ? '' : lines.slice(end).join('\n'),
  }
}

const notes = (lines: string[]): Partial<Exchange> => {
  const said = lines.filter(line => line.startsWith('*')).map(line => line.slice(2))
  return Object.assign(
    {},
    ...said.map(note => {
      const [, seconds] = /^takes (\d+) seconds?$/.exec(note) ?? []
      if (seconds !== undefined) return { takesSeconds: Number(seconds) }
      if (note === 'breaks off') return { breaksOff: true as const }
      throw new Error(`"* takes <n> seconds" or "* breaks off": ${note}`)
    }),
  )
}

/** JSON is compared as JSON, so that an example may have blanks in it. */
const jsonOrText = (body: string): z.core.util.JSONType => {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
