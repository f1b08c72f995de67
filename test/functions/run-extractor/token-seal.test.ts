import { expect, it } from 'vitest'
import { createTokenSeal } from '#functions/run-extractor/run-tokens.ts'

it('opens what was sealed under the token before, which was replaced in between', async () => {
  const sealed = createTokenSeal('7-1-before').seal('7-99-ofTheRun', 'run-1')
  expect(await createTokenSeal('7-1-now', async () => '7-1-before').open(sealed, 'run-1')).toBe(
    '7-99-ofTheRun',
  )
})

it('opens nothing of another run, nor what was sealed under an older token', async () => {
  const sealed = createTokenSeal('7-1-now').seal('7-99-ofTheRun', 'run-1')
  await expect(createTokenSeal('7-1-now').open(sealed, 'run-2')).rejects.toThrow()
  await expect(createTokenSeal('7-1-third', async () => '7-1-second').open(sealed, 'run-1')).rejects.toThrow()
})
