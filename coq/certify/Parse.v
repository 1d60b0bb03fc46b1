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
      params ::= {int64_t name ,} {float name , | const float * [restrict] name ,}
                 float * [restrict] name
      test  ::= if ( name < 0 ) return 1 ; | if ( z == INT64_MAX ) return 2 ;
              | if ( z < z ) return 3 ; | if ( missing ( name , z ) ) return 4 ;
              | if ( overlap ( name , z , name , z ) ) return 5 ;
      z     ::= name | number | size_sum ( z , z ) | size_product ( z , z )
      stmt  ::= ;  |  place = e ;  |  { float name ; stmts }
              | { float name [ e ] __attribute__ (( aligned ( 64 ) )) ; stmts }
              | { float * restrict name = new_floats ( e , failed ) ; if ( name ) { stmts }
                  free ( name ) ; }
              | [pragma] for ( int64_t name = 0 ; name < e ; name += 1 ) { stmts }
>> *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax imp.Flat.
From Vouch Require Import certify.Checked certify.Print certify.Token certify.CTree.
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
  Definition pexp : parser fexp := e <- tree; lift (exp_of nm e).

  Definition passign : parser fcomm :=
    e <- tree; sign "=" >> place <- lift (place_of_tree nm e); x <- pexp; sign ";" >>
    ret (FAssign (fst place) (snd place) x).

  Definition pragma_kind (s : string) : option kind :=
    match s with
    | "pragma omp parallel for" => Some Par
    | "pragma omp simd" => Some Vec
    | "pragma GCC unroll 16" => Some Unr
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

  Definition pfor (k : kind) (body : parser fcomm) : parser fcomm :=
    word "for" >> sign "(" >> word "int64_t" >> s <- any_word; i <- lift (find_loop s);
    sign "=" >> word "0" >> sign ";" >> word s >> sign "<" >> n <- psize; sign ";" >>
    word s >> sign "+=" >> word "1" >> sign ")" >> sign "{" >> c <- body; sign "}" >>
    ret (FFor k i n c).

  Definition pheap (body : parser fcomm) : parser fcomm :=
    sign "*" >> word "restrict" >> s <- any_word; v <- lift (find_temporary nm s);
    sign "=" >> word "new_floats" >> sign "(" >> n <- psize; sign "," >> word "failed" >>
    sign ")" >> sign ";" >> word "if" >> sign "(" >> word s >> sign ")" >> sign "{" >>
    c <- body; sign "}" >> word "free" >> sign "(" >> word s >> sign ")" >> sign ";" >> sign "}" >>
    ret (FNew v (Some n) c).

  Definition pstack (body : parser fcomm) : parser fcomm :=
    s <- any_word; v <- lift (find_temporary nm s);
    array <- is_next "[";
    if array then
      sign "[" >> n <- psize; sign "]" >> words_in alignment >> c <- body; sign "}" >>
      ret (FNew v (Some n) c)
    else sign ";" >> c <- body; sign "}" >> ret (FNew v None c).

  Definition pblock (body : parser fcomm) : parser fcomm :=
    sign "{" >> word "float" >> heap <- is_next "*"; if heap then pheap body else pstack body.

  Definition pstmt (body : parser fcomm) : parser fcomm :=
    t <- peek;
    match t with
    | Sign ";" => sign ";" >> ret FSkip
    | Sign _ => pblock body
    | Pragma _ => k <- ppragma; pfor k body
    | Word "for" => pfor Seq body
    | Word _ => passign
    end.

  Fixpoint pstmts (fuel : nat) : parser fcomm :=
    match fuel with
    | O => fail
    | S n =>
        c <- pstmt (pstmts n); over <- at_end;
        if over then ret c else rest <- pstmts n; ret (FSeq c rest)
    end.
End STATEMENTS.

(** Sizes; inputs, each with whether it is by value; output. *)
Fixpoint pparams (fuel : nat) (restrict : bool) (szs vars : list string) (scalars : list bool)
    : parser (names * list bool) :=
  let pointer := if restrict then word "restrict" else ret tt in
  match fuel with
  | O => fail
  | S n =>
      t <- any_word;
      match t, vars with
      | "int64_t", [] => s <- any_word; sign "," >> pparams n restrict (s :: szs) [] []
      | "const", _ =>
          word "float" >> sign "*" >> pointer >> s <- any_word; sign "," >>
          pparams n restrict szs (s :: vars) (false :: scalars)
      | "float", _ =>
          star <- is_next "*";
          if star then
            sign "*" >> pointer >> s <- any_word;
            ret ({| var_names := rev (s :: vars); size_names := rev szs |}, rev scalars)
          else s <- any_word; sign "," >> pparams n restrict szs (s :: vars) (true :: scalars)
      | _, _ => fail
      end
  end.

Definition params : Type := (names * list bool)%type.

Definition params_eq_dec (a b : params) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

(** The same parameters again, with or without "restrict". *)
Definition same_params (fuel : nat) (restrict : bool) (given : params) : parser unit :=
  again <- pparams fuel restrict [] [] []; if params_eq_dec again given then ret tt else fail.

(** The words of [s], and nothing else. *)
Definition the_words (s : string) : parser unit :=
  match tokens s with Some l => words_in l | None => fail end.

Definition arguments (nm : names) : string :=
  String.concat ", " (size_names nm ++ var_names nm).

(** The body of the kernel, alone or with the function that stops where there is no memory. *)
Definition pbody (fuel : nat) (given : params) : parser fcomm :=
  let nm := fst given in
  sign "{" >>
  c <- pstmts {| variables := var_names nm; sizes := size_names nm |} fuel fuel; sign "}" >>
  ret c.

Definition pplain (fuel : nat) : parser (string * params * fcomm) :=
  name <- any_word; sign "(" >> given <- pparams fuel true [] [] []; sign ")" >>
  c <- pbody fuel given; ret (name, given, c).

Definition ptried (fuel : nat) : parser (string * params * fcomm) :=
  word "void" >> tried <- any_word; sign "(" >> given <- pparams fuel true [] [] [];
  the_words ", int *failed)" >> c <- pbody fuel given;
  word "void" >> name <- any_word;
  if negb (String.eqb tried (c_tried name)) then fail else
  sign "(" >> same_params fuel true given >>
  the_words (") { int failed[1] = {0}; " ++ tried ++ "(" ++ arguments (fst given) ++
             ", failed); if (failed[0]) no_memory(); }") >>
  ret (name, given, c).

Section TESTS.
  Context (nm : names) (expressions : nat).

  Definition in_scope : scope := {| variables := var_names nm; sizes := size_names nm |}.

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
    | _ => None
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

Definition pfile (fuel : nat) : parser cfile :=
  first <- any_word;
  let heap := String.eqb first "static" in
  if negb (heap || String.eqb first "void") then fail else
  kernel <- (if heap then ptried fuel else pplain fuel);
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

Definition after_opening (s : string) : option string :=
  match after (c_headers ++ newline) s with
  | Some rest =>
      match after (c_allocator ++ newline) rest with
      | Some rest1 => Some rest1
      | None => Some rest
      end
  | None => None
  end.

Definition parse (s : string) : option cfile :=
  match after_opening s with
  | Some text =>
      match tokens text with
      | Some l =>
          match pfile (List.length l) l with
          | Some (f, []) => Some f
          | _ => None
          end
      | None => None
      end
  | None => None
  end.
