import { describe, expect, it } from 'vitest'
import { readSettings } from '../../cli/settings.ts'

describe('readSettings', () => {
  it('has a default for everything but the token', () => {
    const defaults = {
      MILLRACE_API_PORT: 8080,
      MILLRACE_S3_PORT: 9000,
      MILLRACE_DATA_DIR: '.millrace',
      MILLRACE_BIND: '127.0.0.1',
      MILLRACE_DURABILITY: 'full',
      MILLRACE_CONTEXT: {},
    }
    expect(readSettings({})).toEqual(defaults)
    expect(readSettings({ MILLRACE_API_PORT: '', MILLRACE_TOKEN: '' })).toEqual(defaults)
  })

  it('reads every variable', () => {
    expect(
      readSettings({ MILLRACE_API_PORT: '0', MILLRACE_TOKEN: '1-1-abcd', MILLRACE_TLS: 'a.test' }),
    ).toMatchObject({
      MILLRACE_API_PORT: 0,
      MILLRACE_TOKEN: '1-1-abcd',
      MILLRACE_TLS: { name: 'a.test', port: 8443 },
    })
  })

  it.each([
    ['MILLRACE_API_PORT', '65536'],
    ['MILLRACE_API_PORT', 'http'],
    ['MILLRACE_S3_PORT', '-1'],
    ['MILLRACE_S3_PORT', '90.5'],
    ['MILLRACE_TOKEN', 'two words in it'],
    ['MILLRACE_TOKEN', 'x'],
    ['MILLRACE_TOKEN', '1234567'],
    ['MILLRACE_DURABILITY', 'none'],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(name)
  })
})
