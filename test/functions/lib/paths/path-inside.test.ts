import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFileName, pathInside } from '#lib/paths/path-inside.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

describe('a path inside of a folder', () => {
  it.each([
    '',
    '.',
    '..',
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'C:\\x',
    'a\0.csv',
    'a\nb',
    'ä'.repeat(128),
    '\ud800',
  ])('is not made of %j', name => {
    expect(isFileName(name)).toBe(false)
    expect(() => pathInside(folder, name)).toThrow(expect.objectContaining({ code: 'path.outside' }))
    expect(() => pathInside(folder, 'in', name)).toThrow('is not the name of a file')
  })

  it.each(['users', 'mock-server.users', '..users', 'user detail', 'ü', '.bashrc', 'x'.repeat(255)])(
    'is made of %j',
    name => expect(pathInside(folder, name)).toBe(join(folder, name)),
  )

  it('does not follow a link that lies there, as a file or on the way', () => {
    symlinkSync('/etc', join(folder, 'link'))
    expect(() => pathInside(folder, 'link')).toThrow('is a link')
    expect(() => pathInside(folder, 'link', 'passwd')).toThrow('is a link')
  })

  it('is refused, or lies directly in its folder, whatever the text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom('..', '/', '\\', '.', 'a', '%2e', '\0')).map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(text, name => {
        if (isFileName(name)) expect(dirname(pathInside('/some/folder', name))).toBe('/some/folder')
        else expect(() => pathInside('/some/folder', name)).toThrow('is not the name of a file')
      }),
    )
  })

  it('needs a name', () => {
    expect(() => pathInside(folder)).toThrow('is not the name of a file')
  })
})
