import { json } from '@codemirror/lang-json'
import { EditorState } from '@codemirror/state'
import { expect, it } from 'vitest'
import { checkJson } from '#functions/storage-api/console/client/json-check.ts'

const schema = {
  type: 'object',
  properties: {
    jobs: {
      type: 'array',
      items: { type: 'object', properties: { endpoint: { type: 'string' } }, additionalProperties: false },
    },
  },
}

/** What is wrong, and the text that it is about. */
const problemsOf = (doc: string) =>
  checkJson(EditorState.create({ doc, extensions: [json()] }), schema).map(
    ({ from, to, message, isSyntax }) => ({
      message,
      isSyntax,
      at: doc.slice(from, to),
    }),
  )

it('a configuration that fits has no problem, nor has one without parameters', () => {
  expect(problemsOf('{"parameters": {"jobs": [{"endpoint": "a"}]}}')).toEqual([])
  expect(problemsOf('{}')).toEqual([])
})

it('a wrong value and an unknown key are named where they are', () => {
  expect(problemsOf('{"parameters": {"jobs": [{"endpoint": 7}, {"endpiont": "a"}]}}')).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/^parameters\.jobs\.0\.endpoint/), at: '7' }),
    { message: 'parameters.jobs.1.endpiont: this key is not expected', isSyntax: false, at: '"endpiont"' },
  ])
})

it('what is no JSON is said to be none', () => {
  expect(problemsOf('{"parameters": ')).toMatchObject([{ isSyntax: true }])
})
