import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface LockedPackage {
  version?: string
  optionalDependencies?: Record<string, string>
  resolved?: string
  hasInstallScript?: boolean
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const packages: Record<string, LockedPackage> = readJson('package-lock.json').packages
const manifest = readJson('package.json')

describe('package-lock.json', () => {
  it('holds no download addresses', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
  })

  // npm leaves out platforms whose package it cannot find, and then refuses the lock file on a clean install.
  it('lists the packages of every platform', () => {
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    )
    const missing = wanted.filter(
      name => !Object.keys(packages).some(path => path.endsWith(`node_modules/${name}`)),
    )
    expect(missing).toEqual([])
  })

  it('every package that runs a script at installation was looked at', () => {
    const scripted = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(Object.keys(manifest.allowScripts).sort()).toEqual(expect.arrayContaining(scripted))
  })
})

it('package.json and the changelog name the same version', () => {
  const [, version] = /^## (\S+)/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
  expect(manifest.version).toBe(version)
})

it('package.json names exact versions', () => {
  const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(versions.filter(version => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))).toEqual([])
})

it('the bill of materials, as CycloneDX, names every package of the lock file', () => {
  const text = execFileSync('npm', ['run', '--silent', 'sbom'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  const made = JSON.parse(text)
  expect(made).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { type: 'application' } } })
  const named = new Set(made.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)))
  const wanted = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version }]) => `pkg:npm/${path.split('node_modules/').at(-1)}@${version}`)
  expect(wanted.length).toBeGreaterThan(100)
  expect(wanted.filter(each => !named.has(each))).toEqual([])
})
