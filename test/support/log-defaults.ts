import type { ToolDefinition } from '../../src/core/events.ts';

export const DEFAULT_SYSTEM =
  'You are a coding assistant in a terminal. Work in small verified steps, prefer the given tools over guesses, and say what you did.';

const tool = (name: string, description: string, ...parameters: readonly string[]): ToolDefinition => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }])),
    required: [parameters[0] ?? ''],
  },
});

export const DEFAULT_TOOLS: readonly ToolDefinition[] = [
  tool('bash', 'Run a shell command in the workspace.', 'command', 'description'),
  tool('read', 'Read a file, with line numbers.', 'file_path', 'offset', 'limit'),
  tool('write', 'Create or overwrite a file.', 'file_path', 'content'),
  tool('edit', 'Replace an exact piece of a file.', 'file_path', 'old_string', 'new_string'),
  tool('glob', 'Find files by pattern.', 'pattern'),
  tool('grep', 'Search file contents by regular expression.', 'pattern', 'path'),
  tool('todo_write', 'Replace the task list.', 'todos'),
  tool('subagent', 'Hand a task to a child agent.', 'prompt', 'label'),
];
