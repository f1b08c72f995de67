import { describe, expect, it } from 'vitest'
import { readCurl } from '#lib/onboarding/read-curl.ts'

const requestOf = (command: string, environment = {}) => {
  const { request } = readCurl(command, environment)
  return { ...request, url: request.url.href }
}

describe('a curl command', () => {
  it.each([
    [
      'curl https://a.example/items?x=1',
      { method: 'GET', url: 'https://a.example/items', query: { x: '1' } },
    ],
    ['curl a.example/items', { url: 'https://a.example/items' }],
    ['curl -sSL "https://a.example/items?x=1&y=a%20b"', { query: { x: '1', y: 'a b' } }],
    ['curl https://a.example/items?x=1&y=2', { query: { x: '1', y: '2' } }],
    ["curl -H 'Accept: a/b' -HX-Trace:on https://a.example", { headers: { Accept: 'a/b', 'X-Trace': 'on' } }],
    ["curl -H 'x-a: 1' -H 'X-A: 2' https://a.example", { headers: { 'x-a': '2' } }],
    ['curl -u me:p:w https://a.example', { user: { name: 'me', password: 'p:w' } }],
    [
      'curl https://me:p%40w@a.example/x',
      { url: 'https://a.example/x', user: { name: 'me', password: 'p@w' } },
    ],
    ['curl --oauth2-bearer abc https://a.example', { headers: { Authorization: 'Bearer abc' } }],
    [
      "curl https://a.example -d 'a=1' -d 'b=2'",
      { method: 'POST', body: { kind: 'form', value: { a: '1', b: '2' } } },
    ],
    [
      "curl -G https://a.example -d 'a=1' --data-urlencode 'q=a b&c'",
      { method: 'GET', query: { a: '1', q: 'a b&c' } },
    ],
    [
      `curl --json '{"a":[1]}' https://a.example`,
      { method: 'POST', body: { kind: 'json', value: { a: [1] } } },
    ],
    [
      `curl -X POST -H 'content-type: application/json' --data-raw $'{"q":"it\\'s \\u00e9"}' https://a.example`,
      { method: 'POST', body: { kind: 'json', value: { q: "it's é" } } },
    ],
    ['curl \\\n  https://a.example \\\n  -H "Accept: x"', { headers: { Accept: 'x' } }],
  ])('%s', (command, expected) => {
    expect(requestOf(command)).toMatchObject(expected)
  })

  it('takes variables from the environment, and not inside of single quotes', () => {
    const { headers } = requestOf(`curl -H "X-A: $KEY-\${KEY}" -H 'X-B: $KEY' https://a.example`, {
      KEY: 'k',
    })
    expect(headers).toEqual({ 'X-A': 'k-k', 'X-B': '$KEY' })
  })

  it('names what is not taken over', () => {
    const { leftOut } = readCurl(
      'curl -s --compressed -k --weird -m 2.5 --retry 3 https://a.example -o out.json | jq .secret',
    )
    expect(leftOut).toEqual([
      'Options of curl: -s, --compressed, -k, --weird, -m, --retry, -o.',
      'What follows the command: a pipe or a redirection.',
    ])
  })

  it.each([
    ['wget https://a.example', /must begin with "curl"/],
    ['curl', /no address/],
    ['curl https://a.example https://b.example', /asks for 2 addresses/],
    ['curl --weird 5 https://a.example', /--weird takes a value/],
    ['curl -X DELETE https://a.example', /a request with DELETE/],
    ['curl -F a=b https://a.example', /-F of curl/],
    ['curl -d @body.json https://a.example', /read from a file/],
    ["curl -H 'content-type: text/xml' -d '<a/>' https://a.example", /text\/xml is neither/],
    ['curl --json [1 https://a.example', /no valid JSON/],
    ['curl ftp://a.example', /not an http or https address/],
    ["curl 'https://a.example", /not closed/],
    ['curl "https://a.example?k=$KEY"', /variable KEY, which is not set/],
    ['curl https://a.example?a=1&a=2', /"a" is there twice/],
    ['curl -H', /has no value/],
  ])('is refused: %s', (command, message) => {
    expect(() => readCurl(command)).toThrow(message)
  })
})
