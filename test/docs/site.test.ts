import { createMarkdownRenderer } from 'vitepress'
import { expect, it } from 'vitest'
import { plainBraces } from '../../docs/.vitepress/plain-braces.ts'

it('the site shows braces of documents as they are, where Vue would work them out', async () => {
  const renderer = await createMarkdownRenderer('docs', { config: plainBraces })
  const html = renderer.render("Ask for {{ a }} and `{{ config['shop'] }}`.")
  expect(html).not.toContain('{{')
  expect(html.replaceAll('&#123;', '{')).toContain("<code>{{ config['shop'] }}</code>")
})
