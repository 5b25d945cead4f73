header { package calc; }
options { language = "Java"; }

class CalcParser extends Parser;
options { k = 2; buildAST = true; exportVocab = Calc; defaultErrorHandler = true; }
tokens { BLOCK; CALL; NEG; }

program : (statement)* EOF! ;
statement
    : "let"^ NAME ASSIGN! sum SEMI!
    | "print"^ (sum | STRING) SEMI!
    | "while"^ LPAREN! sum RPAREN! statement
    | "if"^ LPAREN! sum RPAREN! statement (options { greedy = true; } : "else"! statement)?
    | LBRACE! (statement)* RBRACE! { #statement = #([BLOCK, "block"], #statement); }
    ;
sum : product ((PLUS^ | MINUS^) product)* ;
product : power ((STAR^ | SLASH^ | PERCENT^) power)* ;
power : unary (CARET^ power)? ;
unary : MINUS! unary { #unary = #([NEG, "neg"], #unary); } | primary ;
primary
    : NUMBER
    | NAME
    | (NAME LPAREN) => n:NAME LPAREN! arguments RPAREN! { #primary = #([CALL, "call"], #primary); }
    | LPAREN! sum RPAREN!
    ;
arguments : (sum (COMMA! sum)*)? ;

class CalcLexer extends Lexer;
options { k = 3; exportVocab = Calc; charVocabulary = '\3'..'\377'; testLiterals = false; }
PLUS : '+' ; MINUS : '-' ; STAR : '*' ; SLASH : '/' ; PERCENT : '%' ; CARET : '^' ;
LPAREN : '(' ; RPAREN : ')' ; LBRACE : '{' ; RBRACE : '}' ; COMMA : ',' ; SEMI : ';' ; ASSIGN : '=' ;
WS : (' ' | '\t' | ('\r' '\n' | '\n' | '\r') { newline(); }) { $setType(Token.SKIP); } ;
COMMENT : "//" (~('\n' | '\r'))* { $setType(Token.SKIP); } ;
BLOCK_COMMENT : "/*" (options { greedy = false; } : '\n' { newline(); } | ~'\n')* "*/" { $setType(Token.SKIP); } ;
NAME options { testLiterals = true; } : ('a'..'z' | 'A'..'Z' | '_') ('a'..'z' | 'A'..'Z' | '_' | '0'..'9')* ;
NUMBER : (DIGIT)+ ('.' (DIGIT)+)? (('e' | 'E') ('+' | '-')? (DIGIT)+)? ;
STRING : '"' (~('"' | '\\' | '\n') | '\\' ('n' | 't' | '\\' | '"'))* '"' ;
protected DIGIT : '0'..'9' ;

class CalcWalker extends TreeParser;
options { importVocab = Calc; }
statement { double v; } : #("let" NAME v=expr) | #("print" (v=expr | STRING)) | #("while" v=expr statement)
    | #("if" v=expr statement (statement)?) | #(BLOCK (statement)*) ;
expr returns [double r] { double a, b; r = 0; }
    : #(PLUS a=expr b=expr) { r = a + b; }
    | #(MINUS a=expr b=expr) { r = a - b; }
    | #(STAR a=expr b=expr) { r = a * b; }
    | #(SLASH a=expr b=expr) { r = a / b; }
    | #(PERCENT a=expr b=expr) { r = a % b; }
    | #(CARET a=expr b=expr) { r = Math.pow(a, b); }
    | #(NEG a=expr) { r = -a; }
    | #(CALL NAME (a=expr)*)
    | n:NUMBER { r = Double.parseDouble(n.getText()); }
    | NAME
    ;
