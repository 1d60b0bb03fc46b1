(** Plans: how the axes of a kernel's output and the loops of its sums are walked.

    A plan takes the axes one after the other, in any order, whole or in blocks; what is left in
    the end is a tile. The outermost loop of a sum may be cut into blocks: then every element is
    continued from what the blocks before have left in the output. Whatever the plan, each element
    adds the same terms in the same order. Mirrored by src/certify/index_walk.cpp.

    [plan]         what to do with the axes, and with the outermost loop of the sum
    [work]         what is computed: whole elements, or a sum that goes on
    [moved] [blocked] [merged] [after] [before] [cut]   what index variables stand for, once axes or loops have changed
    [planned]      the program
    [plan_ok]      which plans fit
    [tiled]        the whole kernel, a plan for its output *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Check index.Kernel index.Lower index.Tile.
From Vouch Require Import index.Tabulate index.Finish.
Import ListNotations.

(** [a]: the first axis that is left.
<<
    PLeaf u            the axes that are left are the tile; the innermost u loops of its sums are unrolled
    PEach k n p        the n positions of a, one by one
    PTiles k m w c p   a is m times w positions; w of them are an axis of the tile, with c others
                       further inside
    PSplit n m p q     the first n positions of a as p says, then m as q says; of an axis whose extent
                       has a name, what fills blocks and what is left
    PBlocks m w p      a as two axes: m blocks, w positions in each
    PMerge w p         a and the next axis, of w positions, as one
    PMove d p          the axis after d others comes first
    POver d w p        of the axis after d others, w positions are computed and only its own kept
    PUnder b p         b positions before those of a are computed, too, and only its own kept: the last
                       tile of an axis that tiles do not fill begins inside of the one before
    PCut m w p         the sum in m blocks of w terms, one after the other for all elements
    PThen n m p q      the first n terms of the sum as p says, then m as q says
    PTab t over p      reads of tensor t from a copy, made here, over those variables of the sum
                       (loops from the innermost outwards, then axes from the last one on)
    PFinish p          of a whole kernel: the last local as p says, and what the output does to its
                       elements in the same tiles (index/Finish.v)
>> *)
Inductive plan : Type :=
| PLeaf (u : nat)
| PEach (k : kind) (n : size) (p : plan)
| PTiles (k : kind) (m w : N) (c : nat) (p : plan)
| PSplit (n m : size) (p q : plan)
| PBlocks (m : size) (w : N) (p : plan)
| PMerge (w : positive) (p : plan)
| PMove (d : nat) (p : plan)
| POver (d : nat) (w : size) (p : plan)
| PUnder (b : N) (p : plan)
| PCut (m w : N) (p : plan)
| PThen (n m : N) (p q : plan)
| PTab (t : nat) (over : list nat) (p : plan)
| PFinish (p : plan).

(** Elements from the start; or terms that are added to what is there. *)
Inductive work : Type :=
| Whole (l : list summand)
| Onto (loops : list size) (c : icond) (b : ibody).

Definition sum_of (w : work) : option (list size * icond * ibody) :=
  match w with
  | Whole [{| su_loops := n :: inner; su_cond := c; su_body := b |}] => Some (n :: inner, c, b)
  | Whole _ => None
  | Onto loops c b => Some (loops, c, b)
  end.

Definition start_of (w : work) (d : ty) (start : exp) : exp :=
  match w with Whole _ => ECst d zero | Onto _ _ _ => start end.

Definition variables (from n : nat) : list iterm := map IVar (seq from n).

(** Of [n] axes that are left, with [outer] variables around: the axis after d others now comes first. *)
Definition moved (n d outer : nat) : list iterm :=
  let inside := n - 1 - d in
  variables 0 inside ++ IVar (n - 1) :: variables inside d ++ variables n outer.

(** The first of them is now two. *)
Definition blocked (n outer : nat) (w : N) : list iterm :=
  variables 0 (n - 1) ++
  IAdd (IScale (Z.of_N w) (IVar n)) (IVar (n - 1)) :: variables (S n) outer.

(** The first two of them, w positions in the second, are now one. *)
Definition merged (n outer : nat) (w : positive) : list iterm :=
  variables 0 (n - 2) ++ IMod (IVar (n - 2)) w :: IDiv (IVar (n - 2)) w :: variables (n - 1) outer.

(** A size as an index; multiples are seen. *)
Definition size_term (s : size) : iterm :=
  match s with
  | SConst c => ICon (Z.of_N c)
  | SMul (SConst c) a => IScale (Z.of_N c) (ISize a)
  | _ => ISize s
  end.

(** It began at position lo. *)
Definition after (n outer : nat) (lo : size) : list iterm :=
  variables 0 (n - 1) ++ IAdd (IVar (n - 1)) (size_term lo) :: variables n outer.

(** It begins b positions earlier. *)
Definition before (n outer : nat) (b : N) : list iterm :=
  variables 0 (n - 1) ++ IAdd (IVar (n - 1)) (ICon (- Z.of_N b)) :: variables n outer.

(** Under the outermost loop of the sum: its blocks are numbered by a variable outside of the axes. *)
Definition cut (n outer : nat) (w : N) : list iterm :=
  IAdd (IScale (Z.of_N w) (IVar (S n))) (IVar 0) :: variables 1 n ++ variables (S (S n)) outer.

(** Under that loop: it began at term lo. *)
Definition later (n outer : nat) (lo : N) : list iterm :=
  IAdd (IVar 0) (ICon (Z.of_N lo)) :: variables 1 (n + outer).

Definition work_at (st : list iterm) (w : work) : work :=
  match w with
  | Whole l => Whole (map (summand_at st) l)
  | Onto loops c b =>
      let inner := with_vars (length loops) st in Onto loops (icond_at inner c) (ibody_at inner b)
  end.

(** A sum whose outermost loop has n terms; [st] is meant under that loop. *)
Definition part_at (st : list iterm) (n : N) (s : list size * icond * ibody) : work :=
  let '(loops, c, b) := s in
  let inner := with_vars (length (tl loops)) st in
  Onto (SConst n :: tl loops) (icond_at inner c) (ibody_at inner b).

Definition summands_of (w : work) : list summand :=
  match w with
  | Whole l => l
  | Onto loops c b => [{| su_loops := loops; su_cond := c; su_body := b |}]
  end.

(** Where it is read from a copy. *)
Definition work_tab (t : nat) (loops axes : list size) (s : subscripts) (over : list nat) (d : nat)
    (w : work) : work :=
  match w with
  | Whole l => Whole (map (retold t loops axes s over d) l)
  | Onto inner c b =>
      Onto inner c
        (su_body (retold t loops axes s over d {| su_loops := inner; su_cond := c; su_body := b |}))
  end.

(** A variable or a constant. *)
Definition is_simple (e : exp) : bool :=
  match e with EVar _ | ECst _ _ => true | _ => false end.

(** Such a term, under one more data variable. *)
Definition lifted (e : exp) : exp := match e with EVar x => EVar (S x) | _ => e end.

Fixpoint each (m : nat) (l : lay) : lay :=
  match m with
  | 0 => l
  | S m => LMap (each m l)
  end.

(** The axis after m + d others, moved to after m. *)
Fixpoint to_front (m d : nat) (e : exp) : exp :=
  match d with
  | 0 => e
  | S d => ELay (each m LTrans) (to_front (S m) d e)
  end.

(** The first axis, moved to after d others. *)
Fixpoint to_back (d : nat) (e : exp) : exp :=
  match d with
  | 0 => e
  | S d => ELay (each d LTrans) (to_back d e)
  end.

(** The axis after d others first. *)
Definition with_first (d : nat) (l : list size) : list size :=
  nth d l (SConst 0) :: firstn d l ++ skipn (S d) l.

(** The axis after d others has w positions. *)
Definition with_extent (d : nat) (w : size) (l : list size) : list size :=
  firstn d l ++ w :: skipn (S d) l.

(** The positions in those axes are positions in the tile. *)
Fixpoint in_tile (extents : list size) (here : nat) (st : list iterm) : list iterm :=
  match extents with
  | [] => st
  | _ :: more => in_tile more here (with_var here st)
  end.

(** [e]: what is done to the elements. *)
Definition leaf (facts : list fact) (u : nat) (w : work) (e : ibody) (start : exp) (extents X lanes : list size)
    (st : list iterm) (d : nat) : exp :=
  let all := lanes ++ rev extents in
  let st1 := in_tile extents (length lanes) st in
  finished facts X all d (ibody_at st1 e)
    match w with
    | Whole l => tile facts u X all st1 d l
    | Onto loops c b => tile_fold facts u Fresh X all st1 d loops c b start
    end.

(** [start]: what a sum goes on from, an array of what is left; [f]: what is done to the elements. *)
Fixpoint planned (facts : list fact) (p : plan) (w : work) (f : ibody) (start : exp)
    (extents X lanes : list size) (st : list iterm) (d : nat) : exp :=
  let here := length lanes in
  let n := length extents in
  let outer := length st in
  let rest := tl extents in
  let row := array_ty (rest ++ rev lanes) in
  let whole := array_ty (extents ++ rev lanes) in
  match p with
  | PLeaf u => leaf facts u w f start extents X lanes st d
  | PEach k e q =>
      let body := planned facts q w f (EVar 0) rest (e :: X) lanes (with_var here st) (S d) in
      match w with
      | Whole _ => EMap k e TNum row body (zeros e)
      | Onto _ _ _ => EMap k e row row body start
      end
  | PTiles k m b c q =>
      let block := IAdd (IScale (Z.of_N b) (IVar (S here))) (IVar c) in
      let st1 := block :: map (fun t => iterm_lift c (iterm_lift here t)) st in
      ELay (LJoin (SConst b) (SConst m))
        (EMap k (SConst m) TNum (TAry (SConst b) row)
          (to_front 0 (length rest + (here - c))
            (planned facts q w f start rest (SConst m :: X) (insert c (SConst b) lanes) st1 (S d)))
          (zeros (SConst m)))
  | PSplit a b q r =>
      ECat a b row
        (planned facts q w f start (a :: rest) X lanes st d)
        (planned facts r (work_at (after n outer a) w) (ibody_at (after n outer a) f) start (b :: rest)
          X lanes st d)
  | PBlocks m b q =>
      ELay (LJoin (SConst b) m)
        (planned facts q (work_at (blocked n outer b) w) (ibody_at (blocked n outer b) f) start
          (m :: SConst b :: rest) X lanes st d)
  | PMerge b q =>
      let e := hd (SConst 0) extents in
      ELay (LSplit (SConst (Npos b)) e)
        (planned facts q (work_at (merged n outer b) w) (ibody_at (merged n outer b) f) start
          (times_size e (SConst (Npos b)) :: tl rest) X lanes st d)
  | PMove a q =>
      to_back a
        (planned facts q (work_at (moved n a outer) w) (ibody_at (moved n a outer) f) start (with_first a extents)
          X lanes st d)
  | POver a b q =>
      ELay (each a (LSlice (SConst 0) (nth a extents (SConst 0))))
        (planned facts q w f start (with_extent a b extents) X lanes st d)
  | PUnder b q =>
      let e := hd (SConst 0) extents in
      ELay (LSlice (SConst b) e)
        (planned facts q (work_at (before n outer b) w) (ibody_at (before n outer b) f) start
          (plus_size (SConst b) e :: rest) X lanes st d)
  | PCut m b q =>
      match sum_of w with
      | Some s =>
          ERed Into (SConst m) TNum whole
            (planned facts q (part_at (cut n outer b) b s) itself (EVar 1) extents (SConst m :: X) lanes
              (with_var here st) (d + 2))
            (start_of w whole start) (zeros (SConst m))
      | None => start
      end
  | PThen a b q r =>
      match sum_of w with
      | Some s =>
          planned facts r (part_at (later n outer a) b s) f
            (planned facts q (part_at (variables 0 (S (n + outer))) a s) itself (start_of w whole start)
              extents X lanes st d)
            extents X lanes st d
      | None => start
      end
  | PTab t over q =>
      match source_of t (summands_of w) with
      | Some (loops, s) =>
          let shape := map (bound loops extents) over in
          let element := ibody_at (with_vars (length over) st) (copied t loops extents s over outer) in
          ELet (EMem (array_ty shape)
                 (lower_axes facts Seq X d shape [{| su_loops := []; su_cond := CTrue; su_body := element |}]))
            (planned facts q (work_tab t loops extents s over d w) (past (S d) f) (lifted start) extents X lanes st 0)
      | None => start
      end
  | PFinish _ => start
  end.

Definition is_whole (w : work) : bool := match w with Whole _ => true | Onto _ _ _ => false end.

Definition is_sum (w : work) (n : N) : bool :=
  match sum_of w with
  | Some (SConst e :: _, _, _) => N.eqb e n
  | _ => false
  end.

Definition leaf_ok (w : work) : bool := match w with Onto [] _ _ => false | _ => true end.

(** [extents]: those that are left; [lanes]: how many axes the tile has; under [outer] index
    variables and d data variables; [simple]: what a sum goes on from is a variable or a constant;
    [ends]: something is done to the elements when they are complete. *)
Fixpoint plan_ok (p : plan) (w : work) (extents : list size) (lanes outer d : nat) (simple ends : bool) : bool :=
  let n := length extents in
  match p, extents with
  | PLeaf _, _ => leaf_ok w
  | PEach _ a q, e :: more =>
      (if size_eq_dec a e then true else false) && plan_ok q w more lanes (S outer) (S d) true ends
  | PTiles _ m b c q, SConst e :: more =>
      is_whole w && N.eqb (m * b) e && negb (N.eqb b 0) && (c <=? lanes) &&
      plan_ok q w more (S lanes) (S outer) (S d) simple ends
  | PSplit a b q r, e :: more =>
      is_whole w && size_eqb (SAdd a b) e && plan_ok q w (a :: more) lanes outer d simple ends &&
      plan_ok r (work_at (after n outer a) w) (b :: more) lanes outer d simple ends
  | PBlocks m b q, e :: more =>
      is_whole w && size_eqb (SMul m (SConst b)) e && negb (N.eqb b 0) &&
      plan_ok q (work_at (blocked n outer b) w) (m :: SConst b :: more) lanes outer d simple ends
  | PMerge b q, e :: SConst c :: more =>
      is_whole w && N.eqb (Npos b) c &&
      plan_ok q (work_at (merged n outer b) w) (times_size e (SConst c) :: more) lanes outer d simple ends
  | PMove a q, _ =>
      is_whole w && (a <? n) &&
      plan_ok q (work_at (moved n a outer) w) (with_first a extents) lanes outer d simple ends
  | POver a b q, _ =>
      match nth_error extents a with
      | Some e =>
          is_whole w && size_leb [] e b && plan_ok q w (with_extent a b extents) lanes outer d simple ends
      | None => false
      end
  | PUnder b q, e :: more =>
      is_whole w &&
      plan_ok q (work_at (before n outer b) w) (plus_size (SConst b) e :: more) lanes outer d simple ends
  | PCut m b q, _ =>
      match sum_of w with
      | Some s =>
          negb ends && is_sum w (m * b) &&
          plan_ok q (part_at (cut n outer b) b s) extents lanes (S outer) (d + 2) true false
      | None => false
      end
  | PThen a b q r, _ =>
      match sum_of w with
      | Some s =>
          is_sum w (a + b) &&
          plan_ok q (part_at (variables 0 (S (n + outer))) a s) extents lanes outer d (is_whole w || simple) false &&
          plan_ok r (part_at (later n outer a) b s) extents lanes outer d false ends
      | None => false
      end
  | PTab t over q, _ =>
      match source_of t (summands_of w) with
      | Some (loops, s) =>
          simple && (lanes =? 0) && tab_ok loops extents s over &&
          plan_ok q (work_tab t loops extents s over d w) extents lanes outer 0 simple ends
      | None => false
      end
  | _, _ => false
  end.

Definition tiled_statement (facts : list fact) (p : plan) (s : statement) (f : ibody) : exp :=
  planned facts p (Whole (st_summands s)) f (ECst TNum zero) (st_extents s) [] [] [] 0.

Fixpoint tiled_locals (facts : list fact) (p : plan) (l : list statement) (last : statement) : exp :=
  match l with
  | [] => tiled_statement facts p last itself
  | s :: more =>
      match p, more with
      | PFinish q, [] => tiled_statement facts q s (ending last)
      | _, _ =>
          ELet (EMem (array_ty (st_extents s)) (lower_statement facts s)) (tiled_locals facts p more last)
      end
  end.

Definition tiled (p : plan) (k : ikernel) : exp :=
  tiled_locals (ik_facts k) p (ik_locals k) (ik_output k).

Definition statement_fits (p : plan) (s : statement) (f : ibody) : bool :=
  plan_ok p (Whole (st_summands s)) (st_extents s) 0 0 0 true (negb (is_itself f)).

Fixpoint locals_fit (p : plan) (l : list statement) (last : statement) : bool :=
  match l with
  | [] => statement_fits p last itself
  | s :: more =>
      match p, more with
      | PFinish q, [] =>
          same_extents (st_extents s) (st_extents last) && ending_ok last && statement_fits q s (ending last)
      | _, _ => locals_fit p more last
      end
  end.

Definition plan_fits (p : plan) (k : ikernel) : bool := locals_fit p (ik_locals k) (ik_output k).
