import { expect, it } from 'vitest'
import { didYouMean } from '#lib/errors/did-you-mean.ts'

const known = ['alarmEmail', 'dataType', 'dataField', 'id', 'offset', 'pagenum', 'response.url', 'sha1']

it.each([
  ['alarmEmial', 'alarmEmail'],
  ['datatype', 'dataType'],
  ['data_type', 'dataType'],
  ['ofset', 'offset'],
  ['response_url', 'response.url'],
  ['shaa1', 'sha1'],
  ['nexturl', undefined],
  ['di', undefined],
  ['dataType', undefined],
  ['', undefined],
  ['x'.repeat(1_000_000), undefined],
])('%# was probably meant to be %s', (given, meant) => {
  expect(didYouMean(given, known)).toBe(meant)
})
