(** A second lowering of kernels in index notation: tiles of lanes.

    [Lower] computes one element of the output after the other. Here a block of neighbouring
    elements, the tile, is accumulated at once: the loops of the sum are outside, and for each of
    their iterations every element of the tile receives its term. Every element still adds the
    same terms in the same order. Which elements are a tile is said by a plan (index/Plan.v).
    Mirrored by src/certify/index_tile.cpp.

    [iterm_sum]    a sum of terms
    [iterm_at] ..  terms with index variables replaced
    [trim]         a condition without what always holds
    [lane_maps]    one term for every element of a tile
    [tile_fold]    the sum over the loops, the tile as accumulator; the innermost of them unrolled
    [lane_sums]    what has no loops, added to it
    [tile_sums]    what has loops too, in tiles of its own
    [tile]         a tile of whole elements *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Check index.Kernel index.Lower.
Import ListNotations.

Definition insert {A : Type} (c : nat) (x : A) (l : list A) : list A :=
  firstn c l ++ x :: skipn c l.

Definition with_var (c : nat) (st : list iterm) : list iterm :=
  IVar c :: map (iterm_lift c) st.

(** Constants at the end of a sum are one: what begins earlier in what begins later has one beginning,
    and no term is less than nought on the way. *)
Definition iterm_sum (a b : iterm) : iterm :=
  match a, b with
  | IAdd x (ICon c), ICon d => IAdd x (ICon (c + d))
  | _, _ => IAdd a b
  end.

(** [st]: what stands for each index variable. *)
Fixpoint iterm_at (st : list iterm) (t : iterm) : iterm :=
  match t with
  | IVar i => nth i st (ICon 0)
  | ICon z => ICon z
  | ISize s => ISize s
  | IAdd a b => iterm_sum (iterm_at st a) (iterm_at st b)
  | IScale z a => IScale z (iterm_at st a)
  | IDiv a m => IDiv (iterm_at st a) m
  | IMod a m => IMod (iterm_at st a) m
  end.

Fixpoint icond_at (st : list iterm) (c : icond) : icond :=
  match c with
  | CTrue => CTrue
  | CLe a b => CLe (iterm_at st a) (iterm_at st b)
  | CEq a b => CEq (iterm_at st a) (iterm_at st b)
  | CAnd d e => CAnd (icond_at st d) (icond_at st e)
  | COr d e => COr (icond_at st d) (icond_at st e)
  | CNot d => CNot (icond_at st d)
  end.

Fixpoint ibody_at (st : list iterm) (b : ibody) : ibody :=
  match b with
  | BCon c => BCon c
  | BIndex i => BIndex (iterm_at st i)
  | BRead t s => BRead t (map (fun p => (iterm_at st (fst p), snd p)) s)
  | BGather x n t s r =>
      BGather (ibody_at st x) n t (map (fun p => (iterm_at st (fst p), snd p)) s)
        (map (fun p => (iterm_at st (fst p), snd p)) r)
  | BOp1 o a => BOp1 o (ibody_at st a)
  | BOp2 o a c => BOp2 o (ibody_at st a) (ibody_at st c)
  | BOp3 o a c e => BOp3 o (ibody_at st a) (ibody_at st c) (ibody_at st e)
  | BIf g a c => BIf (icond_at st g) (ibody_at st a) (ibody_at st c)
  end.

(** Under m loops. *)
Fixpoint with_vars (m : nat) (st : list iterm) : list iterm :=
  match m with
  | 0 => st
  | S m => with_vars m (with_var 0 st)
  end.

Definition summand_at (st : list iterm) (s : summand) : summand :=
  let inner := with_vars (length (su_loops s)) st in
  {| su_loops := su_loops s; su_cond := icond_at inner (su_cond s);
     su_body := ibody_at inner (su_body s) |}.

Section FACTS.
  Context (facts : list fact).

  (** a <= b, whatever the index variables. *)
  Definition surely_le (X : list size) (a b : iterm) : bool :=
    let (p1, q1) := lower_term X a in
    let (p2, q2) := lower_term X b in
    ixe_ok facts X (XSub (xadd p2 q1) (xadd p1 q2)).

  Fixpoint trim (X : list size) (c : icond) : icond :=
    match c with
    | CLe a b => if surely_le X a b then CTrue else c
    | CAnd d e =>
        match trim X d, trim X e with
        | CTrue, e1 => e1
        | d1, CTrue => d1
        | d1, e1 => CAnd d1 e1
        end
    | _ => c
    end.

  (** One term, added to the accumulator, data variable a. *)
  Definition lane_step (X : list size) (d a : nat) (c : icond) (b : ibody) : exp :=
    let more := EBin Add (EVar a) (lower_body facts X d b) in
    match trim X c with
    | CTrue => more
    | c1 => EIf (lower_cond X c1) more (EVar a)
    end.

  (** For every element of a tile, whose extents are given from the outermost on. *)
  Fixpoint lane_maps (X : list size) (lanes : list size) (d a : nat) (c : icond) (b : ibody)
    : exp :=
    match lanes with
    | [] => lane_step X d a c b
    | n :: more =>
        EMap (match more with [] => Vec | _ => Unr end) n (array_ty more) (array_ty more)
          (lane_maps (n :: X) more (S d) 0 c b) (EVar a)
    end.

  (** The innermost loops of a sum, as many as this, are unrolled. *)
  Context (unrolled : nat).

  (** [lanes]: extents of the tile, from the innermost on. What [st] refers to: the positions in
      the tile, then the loops around. *)
  Fixpoint tile_fold (w : place) (X lanes : list size) (st : list iterm) (d : nat)
      (loops : list size) (c : icond) (b : ibody) (start : exp) : exp :=
    match loops with
    | [] => start
    | n :: inner =>
        let st1 := with_var (length lanes) st in
        let f :=
          match inner with
          | [] => lane_maps (n :: X) (rev lanes) (d + 2) 1 (icond_at st1 c) (ibody_at st1 b)
          | _ => tile_fold Into (n :: X) lanes st1 (d + 2) inner c b (EVar 1)
          end in
        ERed (if length inner <? unrolled then Unrolled w else w) n TNum (array_ty (rev lanes)) f start (zeros n)
    end.

  (** One element: the looped summand has been added up, and is data variable a. *)
  Definition lane_term (X : list size) (d a : nat) (s : summand) : exp :=
    match su_loops s with [] => lower_summand facts X d s | _ => EVar a end.

  Definition lane_sum (X : list size) (d a : nat) (l : list summand) : exp :=
    match l with
    | [] => ECst TNum zero
    | s :: more => fold_left (fun e r => EBin Add e (lane_term X d a r)) more (lane_term X d a s)
    end.

  (** For every element of a tile, as [lane_maps]. *)
  Fixpoint lane_sums (X : list size) (lanes : list size) (d a : nat) (l : list summand) : exp :=
    match lanes with
    | [] => lane_sum X d a l
    | n :: more =>
        EMap (match more with [] => Vec | _ => Unr end) n (array_ty more) (array_ty more)
          (lane_sums (n :: X) more (S d) 0 l) (EVar a)
    end.

  (** Of a pair of tiles, element by element. *)
  Fixpoint tile_add (lanes : list size) (e : exp) : exp :=
    match lanes with
    | [] => EBin Add (EFst e) (ESnd e)
    | n :: more =>
        EMap (match more with [] => Vec | _ => Unr end) n (TPair (array_ty more) (array_ty more)) (array_ty more)
          (tile_add more (EVar 0)) (ELay LZip e)
    end.

  (** To a tile, the sums of these summands, each in a tile of its own. *)
  Fixpoint tile_sums (X lanes : list size) (st : list iterm) (d : nat) (start : exp) (l : list summand) : exp :=
    match l with
    | [] => start
    | s :: more =>
        tile_sums X lanes st d
          (ELet start
             (ELet (tile_fold Fresh X lanes st (S d) (su_loops s) (su_cond s) (su_body s)
                      (ECst (array_ty (rev lanes)) zero))
                (tile_add (rev lanes) (EPair (EVar 1) (EVar 0)))))
          more
    end.

  Definition has_loops (s : summand) : bool := negb (length (su_loops s) =? 0).

  (** A sum alone; a sum, and summands that have no loops, added in their order; several sums; or, as it
      comes, one element after the other. *)
  Definition tile (X lanes : list size) (st : list iterm) (d : nat) (l : list summand) : exp :=
    match filter has_loops l, l with
    | [s], [_] =>
        tile_fold Fresh X lanes st d (su_loops s) (su_cond s) (su_body s) (ECst (array_ty (rev lanes)) zero)
    | [s], _ =>
        ELet (tile_fold Fresh X lanes st d (su_loops s) (su_cond s) (su_body s) (ECst (array_ty (rev lanes)) zero))
          (lane_sums X (rev lanes) (S d) 0 (map (summand_at st) l))
    | _, s :: more =>
        if forallb has_loops l
        then tile_sums X lanes st d
               (tile_fold Fresh X lanes st d (su_loops s) (su_cond s) (su_body s) (ECst (array_ty (rev lanes)) zero)) more
        else lower_axes facts Seq X d (rev lanes) (map (summand_at st) l)
    | _, [] => lower_axes facts Seq X d (rev lanes) []
    end.
End FACTS.
