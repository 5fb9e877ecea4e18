import ts from 'typescript';

export type Schema = Record<string, unknown>;

/** Schemas that say more than a type can: bounds, patterns. By the name of the type. */
export type Known = ReadonlyMap<string, Schema>;

/**
 * TypeScript types as JSON Schema: what has a name becomes a component of that name, a comment becomes a description. It knows the types
 * that the contract is written in, and refuses any other.
 */
export class TypeSchemas {
  readonly components = new Map<string, Schema>();
  readonly #checker: ts.TypeChecker;
  readonly #known: Known;
  readonly #declared = new Map<string, ts.Symbol>();

  constructor(checker: ts.TypeChecker, known: Known) {
    this.#checker = checker;
    this.#known = known;
  }

  /** Of a type as it is written. */
  of(node: ts.TypeNode): Schema {
    const keyword = KEYWORDS.get(node.kind);
    if (keyword !== undefined) return keyword;
    if (ts.isParenthesizedTypeNode(node)) return this.of(node.type);
    if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) return this.of(node.type);
    if (ts.isArrayTypeNode(node)) return { type: 'array', items: this.of(node.elementType) };
    if (ts.isUnionTypeNode(node)) return unionOf(node.types.map((part) => this.of(part)));
    if (ts.isIntersectionTypeNode(node)) return { allOf: node.types.map((part) => this.of(part)) };
    if (ts.isTypeLiteralNode(node)) return this.#object(node.members);
    if (ts.isLiteralTypeNode(node)) return literal(node.literal);
    if (ts.isTypeReferenceNode(node)) return this.#reference(node);
    return this.#resolved(this.#checker.getTypeFromTypeNode(node), node.getText());
  }

  /** The members of an object type, each with what its comment says. */
  #object(members: ts.NodeArray<ts.TypeElement>): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const member of members) {
      if (!ts.isPropertySignature(member) || member.type === undefined) throw unknown(member.getText());
      const name = nameOf(member.name);
      properties[name] = described(this.of(member.type), commentOf(member, this.#checker));
      if (member.questionToken === undefined) required.push(name);
    }
    return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  }

  #reference(node: ts.TypeReferenceNode): Schema {
    const name = node.typeName.getText();
    const [first, second] = node.typeArguments ?? [];
    if ((name === 'Array' || name === 'ReadonlyArray') && first !== undefined)
      return { type: 'array', items: this.of(first) };
    if (name === 'Record' && first !== undefined && second !== undefined) return this.#record(first, second);
    if (first !== undefined) return this.#resolved(this.#checker.getTypeFromTypeNode(node), node.getText());
    return this.#named(this.#symbolOf(node.typeName), name);
  }

  #named(symbol: ts.Symbol, name: string): Schema {
    const earlier = this.#declared.get(name);
    if (earlier !== undefined && earlier !== symbol) throw new Error(`two types are called ${name}`);
    if (earlier === undefined) {
      this.#declared.set(name, symbol);
      this.components.set(name, {});
      this.components.set(name, described(this.#declaration(symbol, name), textOf(symbol, this.#checker)));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #declaration(symbol: ts.Symbol, name: string): Schema {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const declaration = symbol.declarations?.find(
      (one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one),
    );
    if (declaration === undefined) throw unknown(name);
    if (ts.isTypeAliasDeclaration(declaration)) return this.of(declaration.type);
    if (!ts.isInterfaceDeclaration(declaration)) throw unknown(name);
    const own = this.#object(declaration.members);
    const bases = (declaration.heritageClauses ?? []).flatMap((clause) => clause.types);
    if (bases.length === 0) return own;
    return { allOf: [...bases.map((base) => this.#named(this.#symbolOf(base.expression), base.getText())), own] };
  }

  #record(keys: ts.TypeNode, values: ts.TypeNode): Schema {
    const names = literalsOf(this.#checker.getTypeFromTypeNode(keys));
    if (names.length === 0) return { type: 'object', additionalProperties: this.of(values) };
    const properties = Object.fromEntries(names.map((name) => [String(name), this.of(values)]));
    return { type: 'object', properties, required: names.map(String) };
  }

  /** What only the checker can say: an element of a table of constants, a part of another type. */
  #resolved(type: ts.Type, text: string): Schema {
    const literals = literalsOf(type);
    if (literals.length > 0) return unionOf(literals.map((value) => ({ const: value })));
    const properties = this.#checker.getPropertiesOfType(type);
    if (properties.length === 0) throw unknown(text);
    const members = properties.map((property) => {
      const [declaration] = property.declarations ?? [];
      if (declaration === undefined || !ts.isPropertySignature(declaration) || declaration.type === undefined)
        throw unknown(`${text}: ${property.name}`);
      const schema = described(this.of(declaration.type), textOf(property, this.#checker));
      return { name: property.name, schema, isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0 };
    });
    const required = members.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    const schemas = Object.fromEntries(members.map(({ name, schema }) => [name, schema]));
    return { type: 'object', properties: schemas, ...(required.length === 0 ? {} : { required }) };
  }

  /** Where it is declared, whatever imported it. */
  #symbolOf(node: ts.Node): ts.Symbol {
    const symbol = this.#checker.getSymbolAtLocation(node);
    if (symbol === undefined) throw unknown(node.getText());
    return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.#checker.getAliasedSymbol(symbol);
  }
}

/** The comment above a member, without its marks. */
export function commentOf(member: ts.TypeElement, checker: ts.TypeChecker): string {
  const symbol = checker.getSymbolAtLocation(member.name ?? member);
  return symbol === undefined ? '' : textOf(symbol, checker);
}

export function nameOf(name: ts.PropertyName): string {
  return ts.isStringLiteral(name) || ts.isIdentifier(name) ? name.text : name.getText();
}

// — internal —

const KEYWORDS: ReadonlyMap<ts.SyntaxKind, Schema> = new Map([
  [ts.SyntaxKind.StringKeyword, { type: 'string' }],
  [ts.SyntaxKind.NumberKeyword, { type: 'number' }],
  [ts.SyntaxKind.BooleanKeyword, { type: 'boolean' }],
  [ts.SyntaxKind.UnknownKeyword, {}],
]);

function textOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ').trim();
}

function described(schema: Schema, description: string): Schema {
  return description === '' ? schema : { ...schema, description };
}

function literal(node: ts.LiteralTypeNode['literal']): Schema {
  if (node.kind === ts.SyntaxKind.NullKeyword) return { type: 'null' };
  if (ts.isStringLiteral(node)) return { const: node.text };
  if (ts.isNumericLiteral(node)) return { const: Number(node.text) };
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { const: true };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { const: false };
  throw unknown(node.getText());
}

function literalsOf(type: ts.Type): (string | number)[] {
  const parts = type.isUnion() ? type.types : [type];
  const values = parts.flatMap((part) => (part.isStringLiteral() || part.isNumberLiteral() ? [part.value] : []));
  return values.length === parts.length ? values : [];
}

/** As short as it goes: constants as one list, plain types as a list of types. */
function unionOf(parts: readonly Schema[]): Schema {
  const constants = parts.filter((part) => 'const' in part);
  const plain = parts.filter((part) => typeof part['type'] === 'string' && Object.keys(part).length === 1);
  const rest = parts.filter((part) => !constants.includes(part) && !plain.includes(part));
  const types = plain.map((part) => part['type']);
  const shortened: Schema[] = [
    ...rest,
    ...(constants.length === 0 ? [] : [{ enum: constants.map((part) => part['const']) }]),
    ...(types.length === 0 ? [] : [{ type: types.length === 1 ? types[0] : types }]),
  ];
  return shortened.length === 1 ? (shortened[0] ?? {}) : { anyOf: shortened };
}

function unknown(text: string): Error {
  return new Error(`no schema can be made of: ${text}`);
}
