import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** What modules of functions keep, and why nobody can see it. All else is given to whoever needs it. */
const kept: Readonly<Record<string, string>> = {
  'functions/lib/cloud/kms-open.ts: client': 'the client of the process',
  'functions/lib/cloud/kms-seal.ts: client': 'the client of the process',
  'functions/lib/cloud/lambda.ts: client': 'the client of the process',
  'functions/lib/cloud/secrets-manager.ts: client': 'the client of the process',
  'functions/lib/cloud/sts.ts: client': 'the client of the process',
  'functions/lib/extractor/requests/http/network.ts: isReset': 'true within one step of the event loop only',
  'functions/lib/extractor/values/functions/evaluate.ts: flattened': 'remembers a pure function',
  'functions/storage-api/routes/openapi.ts: made': 'remembers a pure function',
}

const declared =
  /^(?:export )?(?:let (\w+)|const (\w+)(?:: (?!Readonly)[^=]+)? = (?:new (?:Weak)?Map(?:<.*>)?\(\)|new (?:Weak)?Set(?:<.*>)?\(\)|\[\]|\{\}))/gm

it('modules of functions keep no state: what works side by side shares nothing', () => {
  const files = globSync('functions/**/*.{ts,tsx}').filter(
    file => !/handler\.ts$|console\/client\//.test(file),
  )
  const found = files.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(declared)].map(([, one, other]) => `${file}: ${one ?? other}`),
  )
  expect(found.toSorted()).toEqual(Object.keys(kept).toSorted())
})
