(** A parser of the C subset that certified texts are written in.

    It is written without regard to the printer: what a text means does not depend on how it
    was made. A certified text is one whose parse is the proven program.

    [cfile]    a C file: the kernel, its body, the tests of its checked form
    [parse]    its parser: the fixed opening of the file, then the words of the functions
<<
      file  ::= kernel {tester} int name_checked ( params ) { {test} call return ... }
      kernel ::= void name ( params ) { stmts }
               | static void name_tried ( params , int * failed ) { stmts }
                 void name ( params ) { ... name_tried ( ... ) ... no_memory ( ) ... }
      params ::= {int64_t name ,} {[const] type name , | const type * [restrict] name ,}
                 type * [restrict] name
      test  ::= if ( name < 0 ) return 1 ; | if ( z == INT64_MAX ) return 2 ;
              | if ( z < z ) return 3 ; | if ( missing ( name , z ) ) return 4 ;
              | if ( overlap ( name , z , name , z ) ) return 5 ;
      z     ::= name | number | size_sum ( z , z ) | size_product ( z , z )
      stmt  ::= ;  |  place = e ;  |  { type name ; stmts }
              | { type name [ e ] __attribute__ (( aligned ( 64 ) )) ; stmts }
              | { type * restrict name = new_types ( e , failed ) ; if ( name ) { stmts }
                  free ( name ) ; }
              | [pragma] for ( int64_t name = 0 ; name < e ; name += 1 ) { stmts }
              | for ( int64_t name = low ; name < high ; name += 1 ) { stmts }
              | { int64_t name = e ; if ( 0 <= name && name < e ) place = e ; }
      low   ::= 0 | at_least ( e , e , low )
      high  ::= e | at_most ( e , e , high )
>> *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax imp.Flat imp.Gather.
From Vouch Require Import certify.Elements certify.Checked certify.Print certify.Token certify.CTree.
From Vouch Require Import certify.Elaborate.
Import ListNotations.
Local Open Scope string_scope.

Record cfile : Type := {
  file_name : string;
  file_names : names;
  (* for each input, whether it is passed by value *)
  file_scalars : list bool;
  file_body : fcomm;
  (* what the checked form tests *)
  file_tests : list ctest
}.

Section STATEMENTS.
  Context (nm : scope) (expressions : nat).

  Definition tree : parser ctree := ptree expressions.

  Definition psize : parser size := e <- tree; lift (size_of nm e).
  Definition pexp (t : element) : parser fexp := e <- tree; lift (exp_of nm t e).

  Definition passign : parser fcomm :=
    e <- tree; sign "=" >> place <- lift (place_of_tree nm e);
    x <- pexp (element_of (types nm) (fst place)); sign ";" >>
    ret (FAssign (fst place) (snd place) x).

  Definition pragma_kind (s : string) : option kind :=
    match s with
    | "pragma omp parallel for" => Some Par
    | "pragma omp simd" => Some Vec
    | "pragma GCC unroll 16" => Some Unr
    | "pragma GCC unroll 1" => Some Seq
    | _ => None
    end.

  Definition ppragma : parser kind := fun l =>
    match l with
    | Pragma s :: rest => match pragma_kind s with Some k => Some (k, rest) | None => None end
    | _ => Some (Seq, l)
    end.

  Definition words_in (l : list token) : parser unit := fun given =>
    (fix take (l given : list token) : option (unit * list token) :=
       match l, given with
       | [], _ => Some (tt, given)
       | Word s :: l1, Word t :: g1 | Sign s :: l1, Sign t :: g1 =>
           if String.eqb s t then take l1 g1 else None
       | _, _ => None
       end) l given.

  Definition alignment : list token :=
    [Word "__attribute__"; Sign "("; Sign "("; Word "aligned"; Sign "("; Word "64"; Sign ")";
     Sign ")"; Sign ")"; Sign ";"].

  (** The end of a sequence of statements. *)
  Definition at_end : parser bool := fun l =>
    match l with
    | Sign s :: _ => Some (String.eqb s "}", l)
    | _ => Some (false, l)
    end.

  Definition pfor (k : kind) (body : scope -> parser fcomm) : parser fcomm :=
    word "for" >> sign "(" >> word "int64_t" >> s <- any_word; i <- lift (new_loop nm s);
    sign "=" >> first <- tree; lo <- lift (first_bounds nm first); sign ";" >>
    word s >> sign "<" >> last <- tree; ends <- lift (end_bounds nm last); sign ";" >>
    word s >> sign "+=" >> word "1" >> sign ")" >> sign "{" >> c <- body (inside nm s); sign "}" >>
    match lo, ends, k with
    | [], ([], n), _ => ret (FFor k i n c)
    | _, (hi, n), Seq => ret (FWithin i n lo hi c)
    | _, _, _ => fail
    end.

  (** The loop that follows, by [no_iteration] in imp/Guarded.v. *)
  Definition pguarded (body : scope -> parser fcomm) : parser fcomm :=
    word "if" >> sign "(" >> word "0" >> sign "<" >> n <- psize; sign ")" >> k <- ppragma; c <- pfor k body;
    match c with
    | FFor _ _ m _ => if size_eq_dec n m then ret c else fail
    | _ => fail
    end.

  Definition pheap (body : scope -> parser fcomm) : parser fcomm :=
    sign "*" >> word "restrict" >> s <- any_word; v <- lift (find_temporary nm s);
    sign "=" >> word (c_new (computed (types nm))) >> sign "(" >> n <- psize; sign "," >> word "failed" >>
    sign ")" >> sign ";" >> word "if" >> sign "(" >> word s >> sign ")" >> sign "{" >>
    c <- body (inside nm ""); sign "}" >> word "free" >> sign "(" >> word s >> sign ")" >> sign ";" >> sign "}" >>
    ret (FNew v (Some n) c).

  Definition pstack (body : scope -> parser fcomm) : parser fcomm :=
    s <- any_word; v <- lift (find_temporary nm s);
    array <- is_next "[";
    if array then
      sign "[" >> n <- psize; sign "]" >> words_in alignment >> c <- body (inside nm ""); sign "}" >>
      ret (FNew v (Some n) c)
    else sign ";" >> c <- body (inside nm ""); sign "}" >> ret (FNew v None c).

  (** The loop that this means, by [gathering_means]; [stored] parses an assignment. *)
  Definition pgather (stored_in : scope -> parser fcomm) : parser fcomm :=
    word "int64_t" >> s <- any_word; i <- lift (new_loop nm s); sign "=" >> x <- pexp I64; sign ";" >>
    word "if" >> sign "(" >> word "0" >> sign "<=" >> word s >> sign "&&" >> word s >> sign "<" >>
    n <- psize; sign ")" >> stored <- stored_in (inside nm s); sign "}" >>
    match stored with
    | FAssign v a e =>
        let p := {| ga_index := i; ga_count := n; ga_var := v; ga_at := a; ga_from := x; ga_value := e |} in
        if gather_ok p then ret (gathering p) else fail
    | _ => fail
    end.

  (** An index that is data is declared with its value, a temporary without. *)
  Definition pblock (body stored_in : scope -> parser fcomm) : parser fcomm :=
    sign "{" >> next <- peek_after 2;
    match next with
    | Sign "=" => pgather stored_in
    | _ =>
        word (c_type (computed (types nm))) >> heap <- is_next "*"; if heap then pheap body else pstack body
    end.
End STATEMENTS.

Definition pstmt (expressions : nat) (body : scope -> parser fcomm) (nm : scope) : parser fcomm :=
  t <- peek;
  match t with
  | Sign ";" => sign ";" >> ret FSkip
  | Sign _ => pblock nm expressions body (fun inner => passign inner expressions)
  | Pragma _ => k <- ppragma; pfor nm expressions k body
  | Word "for" => pfor nm expressions Seq body
  | Word "if" => pguarded nm expressions body
  | Word _ => passign nm expressions
  end.

Fixpoint pstmts (expressions fuel : nat) (nm : scope) : parser fcomm :=
  match fuel with
  | O => fail
  | S n =>
      c <- pstmt expressions (pstmts expressions n) nm; over <- at_end;
      if over then ret c else rest <- pstmts expressions n nm; ret (FSeq c rest)
  end.

Definition pelement : parser element :=
  s <- any_word; lift (find (fun t => String.eqb s (c_type t)) all_elements).

(** An input: its type, whether it is by value, its name. *)
Definition pinput (pointer : parser unit) : parser (element * bool * string) :=
  first <- peek;
  let constant := match first with Word s => String.eqb s "const" | _ => false end in
  (if constant then word "const" else ret tt) >> t <- pelement; star <- is_next "*";
  (if star then sign "*" >> pointer else ret tt) >> s <- any_word;
  (* int64_t without const is a size, a pointer without it is the output *)
  if Bool.eqb constant (star || element_eqb t I64) then ret (t, negb star, s) else fail.

Definition poutput (pointer : parser unit) : parser (element * string) :=
  t <- pelement; sign "*" >> pointer >> s <- any_word; ret (t, s).

Definition params : Type := (names * list bool)%type.

(** What has been read, in reverse: sizes; inputs. [t] is the type that is computed. *)
Definition made_params (t : element) (szs : list string) (given : list (element * bool * string))
    (out : element * string) : params :=
  let inputs := rev given in
  ({| var_names := map snd inputs ++ [snd out]; size_names := rev szs;
      element_types := {| computed := t; stored := map (fun i => fst (fst i)) inputs ++ [fst out] |};
      loop_names := [] |},
   map (fun i => snd (fst i)) inputs).

(** Sizes; inputs; output. *)
Fixpoint pparams (t : element) (fuel : nat) (restrict : bool) (szs : list string)
    (given : list (element * bool * string)) : parser params :=
  let pointer := if restrict then word "restrict" else ret tt in
  match fuel with
  | O => fail
  | S n =>
      first <- peek; second <- peek_after 1;
      match first, second, given with
      | Word "int64_t", Word s, [] =>
          word "int64_t" >> word s >> sign "," >> pparams t n restrict (s :: szs) []
      | Word "const", _, _ =>
          i <- pinput pointer; sign "," >> pparams t n restrict szs (i :: given)
      | _, Sign _, _ => o <- poutput pointer; ret (made_params t szs given o)
      | _, _, _ => i <- pinput pointer; sign "," >> pparams t n restrict szs (i :: given)
      end
  end.

Definition params_eq_dec (a b : params) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

(** The same parameters again, with or without "restrict". *)
Definition same_params (fuel : nat) (restrict : bool) (given : params) : parser unit :=
  again <- pparams (computed (element_types (fst given))) fuel restrict [] [];
  if params_eq_dec again given then ret tt else fail.

(** The words of [s], and nothing else. *)
Definition the_words (s : string) : parser unit :=
  match tokens s with Some l => words_in l | None => fail end.

Definition arguments (nm : names) : string :=
  String.concat ", " (size_names nm ++ var_names nm).

(** The body of the kernel, alone or with the function that stops where there is no memory. *)
Definition pbody (fuel : nat) (given : params) : parser fcomm :=
  let nm := fst given in
  sign "{" >>
  c <- pstmts fuel fuel
    {| variables := var_names nm; sizes := size_names nm; types := element_types nm; around := [] |};
  sign "}" >>
  ret c.

Definition pplain (t : element) (fuel : nat) : parser (string * params * fcomm) :=
  name <- any_word; sign "(" >> given <- pparams t fuel true [] []; sign ")" >>
  c <- pbody fuel given; ret (name, given, c).

Definition ptried (t : element) (fuel : nat) : parser (string * params * fcomm) :=
  word "void" >> tried <- any_word; sign "(" >> given <- pparams t fuel true [] [];
  the_words ", int *failed)" >> c <- pbody fuel given;
  word "void" >> name <- any_word;
  if negb (String.eqb tried (c_tried name)) then fail else
  sign "(" >> same_params fuel true given >>
  the_words (") { int failed[1] = {0}; " ++ tried ++ "(" ++ arguments (fst given) ++
             ", failed); if (failed[0]) no_memory(); }") >>
  ret (name, given, c).

Section TESTS.
  Context (nm : names) (expressions : nat).

  Definition in_scope : scope :=
    {| variables := var_names nm; sizes := size_names nm; types := element_types nm; around := [] |}.

  (** A size, sums and products of which stop at the largest number. *)
  Fixpoint stopped_of (e : ctree) : option size :=
    match e with
    | TWord s =>
        match find_size in_scope s with
        | Some v => Some (SVar v)
        | None => option_map SConst (read_number s)
        end
    | TCall2 "size_sum" a b => opt2 SAdd (stopped_of a) (stopped_of b)
    | TCall2 "size_product" a b => opt2 SMul (stopped_of a) (stopped_of b)
    | _ => part_of in_scope e
    end.

  Definition pstopped : parser size := e <- ptree expressions; lift (stopped_of e).
  Definition pvar : parser nat := s <- any_word; lift (position s (var_names nm)).

  Definition preturn (code : N) : parser unit :=
    sign ")" >> word "return" >> s <- any_word; sign ";" >>
    match read_number s with
    | Some n => if N.eqb n code then ret tt else fail
    | None => fail
    end.

  Definition ptest : parser ctest :=
    word "if" >> sign "(" >> t <- peek;
    test <-
      match t with
      | Word "missing" =>
          word "missing" >> sign "(" >> v <- pvar; sign "," >> n <- pstopped; sign ")" >>
          ret (Missing v n)
      | Word "overlap" =>
          word "overlap" >> sign "(" >> v <- pvar; sign "," >> n <- pstopped; sign "," >>
          w <- pvar; sign "," >> m <- pstopped; sign ")" >> ret (Overlap v n w m)
      | _ =>
          a <- pstopped; s <- any_sign;
          if String.eqb s "==" then word "INT64_MAX" >> ret (TooLarge a)
          else if negb (String.eqb s "<") then fail else
          b <- pstopped; next <- peek_after 2;
          match a, next with
          | SVar v, Word "1" => match b with SConst 0 => ret (Negative v) | _ => fail end
          | _, _ => ret (Broken b a)
          end
      end;
    preturn (code_of test) >> ret test.

  Fixpoint ptests (fuel : nat) : parser (list ctest) :=
    match fuel with
    | O => fail
    | S n =>
        t <- peek;
        match t with
        | Word "if" => test <- ptest; rest <- ptests n; ret (test :: rest)
        | _ => ret []
        end
    end.
End TESTS.

(** A function that the tests may call, or not there. *)
Definition poptional (s : string) : parser unit := fun l =>
  match the_words s l with Some r => Some r | None => Some (tt, l) end.

Definition pchecked (fuel : nat) (heap : bool) (name : string) (given : params)
    : parser (list ctest) :=
  let call := "(" ++ arguments (fst given) in
  poptional c_size_sum >> poptional c_size_product >> the_words c_missing >>
  poptional c_overlap >>
  the_words ("int " ++ c_checked_name name ++ "(") >> same_params fuel false given >>
  the_words ") {" >> l <- ptests (fst given) fuel fuel;
  the_words
    (if heap
     then "int failed[1] = {0}; " ++ c_tried name ++ call ++
          ", failed); return failed[0] ? 6 : 0; }"
     else name ++ call ++ "); return 0; }") >>
  ret l.

Definition pfile (t : element) (fuel : nat) : parser cfile :=
  first <- any_word;
  let heap := String.eqb first "static" in
  if negb (heap || String.eqb first "void") then fail else
  kernel <- (if heap then ptried t fuel else pplain t fuel);
  let '(name, given, c) := kernel in
  l <- pchecked fuel heap name given;
  ret {| file_name := name; file_names := fst given; file_scalars := snd given; file_body := c;
         file_tests := l |}.

(** What follows [opening] in s. *)
Fixpoint after (opening s : string) : option string :=
  match opening, s with
  | EmptyString, _ => Some s
  | String c rest, String d s1 => if Ascii.eqb c d then after rest s1 else None
  | String _ _, EmptyString => None
  end.

(** What an opening says: whether it has the header of truth values; the types that it names; the type
    that is computed, which is float where nothing is said; the functions that it defines. *)
Record opening : Type := {
  op_truths : bool;
  op_types : list element;
  op_computed : element;
  op_defined : list string;
  op_rest : string
}.

Definition after_maybe (opening s : string) : bool * string :=
  match after opening s with Some rest => (true, rest) | None => (false, s) end.

Fixpoint computed_in (l : list element) (s : string) : element * string :=
  match l with
  | [] => (F32, s)
  | t :: more =>
      match after (c_computed t) s with
      | Some rest => (t, rest)
      | None => computed_in more s
      end
  end.

Fixpoint after_typedefs (l : list element) (s : string) : list element * string :=
  match l with
  | [] => ([], s)
  | t :: more =>
      match after (c_typedef t) s with
      | Some rest => let (found, left) := after_typedefs more rest in (t :: found, left)
      | None => after_typedefs more s
      end
  end.

Fixpoint after_definitions (l : list (string * string)) (s : string) : list string * string :=
  match l with
  | [] => ([], s)
  | (_, f) :: more =>
      match after (f ++ newline) s with
      | Some rest => let (found, left) := after_definitions more rest in (f :: found, left)
      | None => after_definitions more s
      end
  end.

Definition after_opening (s : string) : option opening :=
  match after c_headers s with
  | Some s1 =>
      let (truths, s2) := after_maybe c_stdbool s1 in
      match after newline s2 with
      | Some s3 =>
          let (named, s3) := after_typedefs named_types s3 in
          let (t, s4) := computed_in [F64; I32; I64; U64] s3 in
          let (found, s5) := after_definitions definitions s4 in
          let (_, rest) := after_maybe (c_allocator t ++ newline) s5 in
          Some {| op_truths := truths; op_types := named; op_computed := t; op_defined := found; op_rest := rest |}
      | None => None
      end
  | None => None
  end.

(** It has the header, the types and the functions that the program needs, and no others. *)
Definition opens (o : opening) (f : cfile) : bool :=
  Bool.eqb (op_truths o) (uses_truths (file_names f)) &&
  (if list_eq_dec element_eq_dec (op_types o) (types_named (file_names f)) then true else false) &&
  if list_eq_dec string_dec (op_defined o) (defined (element_types (file_names f)) (file_body f)) then true else false.

Definition parse (s : string) : option cfile :=
  match after_opening s with
  | Some o =>
      match tokens (op_rest o) with
      | Some l =>
          match pfile (op_computed o) (List.length l) l with
          | Some (f, []) => if opens o f then Some f else None
          | _ => None
          end
      | None => None
      end
  | None => None
  end.
