import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'

it('a folder until exit is there while its process runs, and gone after it', () => {
  const program = `
    const { folderUntilExit } = await import(process.argv[1])
    const { existsSync, writeFileSync } = await import('node:fs')
    const folder = folderUntilExit('millrace-until-exit-')
    writeFileSync(folder + '/file', 'content')
    console.log(JSON.stringify({ folder, wasThere: existsSync(folder + '/file') }))`
  const module = new URL('../../infra/bundle.ts', import.meta.url).href
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program, module])
  const { folder, wasThere } = JSON.parse(String(printed))
  expect(wasThere).toBe(true)
  expect(existsSync(folder)).toBe(false)
})
