/** Says while somebody types whether a text is JSON, and where not. */
export const watchJson = (): void => {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-json]')) {
    const field = form.querySelector('textarea')
    const problem = form.querySelector('[data-problem]')
    field?.addEventListener('input', () => {
      const sentence = problemOf(field.value)
      field.setCustomValidity(sentence)
      if (problem) problem.textContent = sentence
    })
  }
}

const problemOf = (text: string): string => {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : ''}`
  }
}
